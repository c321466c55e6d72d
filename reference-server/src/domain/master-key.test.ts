import { createSecretKey } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { MasterKey } from "./master-keys.ts";
import { importedRespondentId, respondentHash } from "./respondent-hash.ts";

const masterKey = new MasterKey(Buffer.alloc(32, 1));
const pepperOf = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
const pepper = pepperOf(1);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("a respondent's hash", () => {
  it("has 128 bits and depends on the project's pepper", () => {
    const hashes = [pepper, pepperOf(2)].map((one) => respondentHash(one, "ann"));
    expect(new Set(hashes.map(hex)).size).toBe(2);
    expect(hashes[0]).toHaveLength(16);
  });
});

test("the hash of a respondent is the same in every release, or suppression would be forgotten", () => {
  // HMAC-SHA-256 by Python's `hmac`.
  expect(hex(respondentHash(pepper, "ann"))).toBe("ad3c165bf84c9c972407f8cdcf4669a4");
});

describe("the id of an imported person", () => {
  it("is imp_ and 256 bits in base 32", () => {
    expect(importedRespondentId(pepper, "ann@example.org")).toMatch(/^imp_[a-z2-7]{52}$/);
  });

  it("is never what the same text as a respondent's id hashes to", () => {
    expect(importedRespondentId(pepper, "ann")).not.toContain(hex(respondentHash(pepper, "ann")));
  });
});

describe("the keys derived from a master key", () => {
  it("are apart from each other by purpose", () => {
    const sealed = masterKey.seal("a", "header", "text");
    expect(masterKey.unseal("a", "header", sealed)).toBe("text");
    expect(() => masterKey.unseal("b", "header", sealed)).toThrow();
    expect(() => masterKey.unseal("a", "another header", sealed)).toThrow();
  });

  it("are the same after more derivations than are remembered", () => {
    const sealed = masterKey.seal("a", "header", "text");
    for (let purpose = 0; purpose <= 10_000; purpose++) masterKey.seal(`${purpose}`, "", "");
    expect(masterKey.unseal("a", "header", sealed)).toBe("text");
  });

  it("need a master key of 32 bytes, and an id tells two apart", () => {
    expect(() => new MasterKey(Buffer.alloc(31))).toThrow("32 bytes");
    expect(masterKey.id).toMatch(/^[0-9a-f]{16}$/);
    expect(new MasterKey(Buffer.alloc(32, 2)).id).not.toBe(masterKey.id);
  });
});
