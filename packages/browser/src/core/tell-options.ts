import { closestOf, closestOption, isMisspelt, valuesOf } from "./known-options.ts";
import type { AfterwordOptions } from "./options.ts";
import type { Reporting } from "./reporting.ts";

const attribute = (name: string) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const named = (name: string) => `${name} (${attribute(name)})`;

function sentenceOf([name, value]: [string, unknown]): string {
  const values = valuesOf(name)?.split(" ");
  if (!values) return `unknown option ${named(name)}, did you mean ${named(closestOption(name)!)}?`;
  const closest = closestOf(`${value as string}`, values);
  const rest = closest ? `, did you mean "${closest}"?` : "";
  return `${named(name)} takes ${values.join(", ")} and not ${JSON.stringify(value)}${rest}`;
}

/** Reports all misspelt options and attributes at once, each with the closest name. */
export function tellOptions({ options, report, AfterwordError }: Reporting & { options: AfterwordOptions }) {
  const sentences = Object.entries(options).filter(isMisspelt).map(sentenceOf);
  report(new AfterwordError("invalid_argument", sentences.join("; ")));
}
