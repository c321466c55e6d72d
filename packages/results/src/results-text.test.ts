import { expect, it } from "vitest";
import { isolated } from "./results-text.ts";

it.each([
  ["refund", "refund"],
  ["החזר", "החזר"],
  ["a\u202eb", "\u2068a\u202eb\u2069"],
  // It may neither end the isolate nor leave one open.
  ["\u2069\u202eb", "\u2068\u202eb\u2069"],
  ["\u2067b", "\u2068b\u2069"],
])("%j is shown as %j", (text, shown) => {
  expect(isolated(text)).toBe(shown);
});
