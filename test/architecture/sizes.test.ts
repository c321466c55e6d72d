import { describe, expect, it } from "vitest";
import { measuredSize, quotedSizes, readmes } from "./quoted-sizes.ts";

describe.each(readmes)("the sizes that %s tells", (readme) => {
  const quotes = quotedSizes(readme);

  it("are there", () => expect(quotes.length).toBeGreaterThan(0));

  it.each(quotes)("$files: $bytes bytes, as built", ({ files, bytes }) => {
    expect(bytes).toBe(measuredSize(files));
  });
});
