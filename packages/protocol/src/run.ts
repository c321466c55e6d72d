import * as z from "zod";
import { factLimits } from "./limits.ts";
import { identifier } from "./strings.ts";

/** What is known about one run of an agent, for example `{ outcome: "failed", steps: 14 }`. Never personal data. */
export type RunFacts = Record<string, string | number | boolean>;

/** An agent's run as the customer's server attests it when it mints. An extension (contract section 4.4). */
export interface MintedRun {
  /** The agent's release, prompt or model; 1 to 64 code points. */
  version?: string | undefined;
  /** At most 16: names of 1 to 64 code points, texts of at most 64, together at most 512 bytes of JSON. */
  facts?: RunFacts | undefined;
}

/** What a response keeps of its run: what the mint attested, and how the run was chosen. */
export interface ScoredRun extends MintedRun {
  /** The stratum of the survey's sampling that the run belongs to; absent if none matched. */
  stratum?: string;
  /** How probable it was that the run was asked about, 0 to 1. Absent if the survey had no sampling. */
  samplingProbability?: number;
}

const bytesOf = (value: object) => new TextEncoder().encode(JSON.stringify(value)).length;

const factValue = z.union([
  z
    .string()
    .max(factLimits.textLength)
    .refine((text) => text.isWellFormed() && !text.includes("\u0000"), "has U+0000 or a lone surrogate"),
  z.number(),
  z.boolean(),
]);

const runFacts = z
  .record(identifier(factLimits.nameLength), factValue)
  .refine((facts) => Object.keys(facts).length <= factLimits.facts, `has more than ${factLimits.facts} facts`)
  .refine((facts) => bytesOf(facts) <= factLimits.bytes, `is larger than ${factLimits.bytes} bytes`)
  .describe(
    `At most ${factLimits.facts} facts, together at most ${factLimits.bytes} bytes of JSON. Never personal data.`,
  );

const version = identifier(64).describe("The agent's release, prompt or model.");

export const mintedRun = z.object({ version: version.optional(), facts: runFacts.optional() });

export const scoredRun = z.object({
  version: z.string().optional(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  stratum: z.string().optional(),
  samplingProbability: z.number().min(0).max(1).optional(),
});
