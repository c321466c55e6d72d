import { describe, expect, it } from "vitest";
import { displayOfKey, generateKey } from "./api-key.ts";

describe("a generated key", () => {
  it("has its prefix, 43 characters of base 62 and a checksum of six", () => {
    expect(generateKey("publishable")).toMatch(/^aw_pk_[0-9A-Za-z]{49}$/);
    expect(generateKey("secret")).toMatch(/^aw_sk_[0-9A-Za-z]{49}$/);
  });

  it.each([
    [0, "aw_sk_00000000000000000000000000000000000000000000c5chd"],
    [255, "aw_sk_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp12WhUB7"],
  ])("holds all of its 256 bits, and their CRC-32 as scanners reckon it: of bytes %i", (byte, key) => {
    // As Python's zlib.crc32 has it.
    expect(generateKey("secret", (size) => Buffer.alloc(size, byte))).toBe(key);
  });

  it("is shown by its first six and last four characters", () => {
    expect(displayOfKey("aw_sk_abcdefghijkl")).toBe("aw_sk_…ijkl");
  });
});
