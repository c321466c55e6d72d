import type { MintedRun, RunFacts } from "@afterword/protocol";
import { factLimits } from "@afterword/protocol/limits";

const bytesOf = (value: object) => new TextEncoder().encode(JSON.stringify(value)).length;

const fits = (facts: RunFacts) =>
  Object.keys(facts).length <= factLimits.facts && bytesOf(facts) <= factLimits.bytes;

/** Names of models can be long; what the host gives is never cut, so that the service refuses what is too long. */
const cut = (value: RunFacts[string]) =>
  typeof value === "string" ? value.slice(0, factLimits.textLength) : value;

/**
 * What a mint says about its run: what the host gives, then what its framework knows, as far as the limits allow. Nothing if
 * nothing is known.
 */
export function attestedRun(given: MintedRun | undefined, known: RunFacts = {}): MintedRun | undefined {
  let facts: RunFacts = { ...given?.facts };
  for (const [name, value] of Object.entries(known)) {
    const more = { ...facts, [name]: cut(value) };
    if (!Object.hasOwn(facts, name) && fits(more)) facts = more;
  }
  const hasFacts = Object.keys(facts).length > 0;
  return given || hasFacts ? { ...given, ...(hasFacts && { facts }) } : undefined;
}
