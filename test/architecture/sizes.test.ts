import { describe, expect, it } from "vitest";
import { documents, measuredSize, quotedSizes } from "./quoted-sizes.ts";

describe.each(documents)("the sizes that %s quotes", (document) => {
  const quotes = quotedSizes(document);

  it("are there", () => expect(quotes.length).toBeGreaterThan(0));

  it.each(quotes)("$files: $bytes bytes, as built", ({ files, bytes }) => {
    expect(bytes).toBe(measuredSize(files));
  });
});
