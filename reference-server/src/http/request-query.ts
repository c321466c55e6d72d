import { type ProblemCode } from "@afterword/protocol";
import { Refusal } from "../domain/refusal.ts";

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/**
 * The fields of a query. A known field must not appear twice, because picking one would be a guess
 * (decision D52). @throws Refusal 400
 */
export function parseQuery(
  search: string,
  isKnown: (name: string) => boolean,
  code: ProblemCode,
): Readonly<Record<string, string>> {
  const fields: [string, string][] = [];
  const names = new Set<string>();
  for (const part of search.split("&")) {
    if (part === "") continue;
    const separator = part.indexOf("=");
    const name = decode(separator < 0 ? part : part.slice(0, separator));
    const value = separator < 0 ? "" : decode(part.slice(separator + 1));
    if (name === undefined || value === undefined) {
      throw new Refusal(code, { detail: "The query is not valid percent-encoded UTF-8." });
    }
    if (names.has(name) && isKnown(name)) {
      throw new Refusal(code, {
        detail: "Send each field of the query once.",
        errors: [{ pointer: `#${name}`, code: "repeated" }],
      });
    }
    names.add(name);
    fields.push([name, value]);
  }
  // `fromEntries` makes even `__proto__` an ordinary field.
  return Object.fromEntries(fields);
}
