import { describe, expect, it } from "vitest";
import { digestOfKey, displayOfKey, generateKey, hasValidChecksum, isSameDigest } from "./api-key.ts";

describe("a generated key", () => {
  it("has its prefix, 43 characters of base 62 and a checksum of six", () => {
    expect(generateKey("publishable")).toMatch(/^aw_pk_[0-9A-Za-z]{49}$/);
    expect(generateKey("secret")).toMatch(/^aw_sk_[0-9A-Za-z]{49}$/);
  });

  it("holds all of its 256 bits, the smallest and the largest", () => {
    expect(generateKey("secret", (size) => Buffer.alloc(size))).toMatch(/^aw_sk_0{43}/);
    const largest = generateKey("secret", (size) => Buffer.alloc(size, 255));
    expect(largest).toHaveLength(55);
    expect(hasValidChecksum(largest)).toBe(true);
  });

  it("is never the same twice", () => {
    expect(new Set(Array.from({ length: 100 }, () => generateKey("secret"))).size).toBe(100);
  });

  it("fails its checksum with any character changed", () => {
    const key = generateKey("secret");
    expect(hasValidChecksum(key)).toBe(true);
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === "0" ? "1" : "0";
      expect(hasValidChecksum(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
  });

  it("is shown by its first six and last four characters", () => {
    expect(displayOfKey("aw_sk_abcdefghijkl")).toBe("aw_sk_…ijkl");
  });
});

describe("digests", () => {
  it("are SHA-256 in hex and compared as a whole", () => {
    const digest = digestOfKey("abc");
    expect(digest).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(isSameDigest(digest, digest)).toBe(true);
    expect(isSameDigest(digest, digestOfKey("abd"))).toBe(false);
    expect(isSameDigest(digest, digest.slice(1))).toBe(false);
  });
});
