import { describe, expect, it, test } from "vitest";
import { keyedHash, importedRespondentId, respondentHash, ServiceSecrets } from "./service-secrets.ts";

const secrets = new ServiceSecrets(Buffer.alloc(32, 1));
const pepper = secrets.pepper({ id: "p", pepperSalt: "00" });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("a respondent's hash", () => {
  it("is the same for the same id, and another for any other", () => {
    expect(hex(respondentHash(pepper, "ann"))).toBe(hex(respondentHash(pepper, "ann")));
    const others = ["Ann", "ann ", "an", "e\u0301", "\u00e9"].map((id) => hex(respondentHash(pepper, id)));
    expect(new Set([...others, hex(respondentHash(pepper, "ann"))]).size).toBe(6);
  });

  it("has 128 bits and depends on the master key, the project and its salt", () => {
    const peppers = [
      pepper,
      secrets.pepper({ id: "q", pepperSalt: "00" }),
      secrets.pepper({ id: "p", pepperSalt: "01" }),
      new ServiceSecrets(Buffer.alloc(32, 2)).pepper({ id: "p", pepperSalt: "00" }),
    ];
    const hashes = peppers.map((one) => respondentHash(one, "ann"));
    expect(new Set(hashes.map(hex)).size).toBe(4);
    expect(hashes[0]).toHaveLength(16);
  });
});

test("the hash of a respondent is the same in every release, or suppression would be forgotten", () => {
  // HMAC-SHA-256 under HKDF-SHA-256, by Python's `cryptography` and `hmac`.
  expect(hex(respondentHash(pepper, "ann"))).toBe("3ce6195ba247e3a8418a8225a8055dd1");
});

describe("the id of an imported person", () => {
  it("is imp_ and 256 bits in base 32", () => {
    expect(importedRespondentId(pepper, "ann@example.org")).toMatch(/^imp_[a-z2-7]{52}$/);
  });

  it("does not depend on spaces around, case or the form of accents; it does on dots and plus signs", () => {
    const plain = importedRespondentId(pepper, "jos\u00e9@example.org");
    expect(importedRespondentId(pepper, " Jose\u0301@Example.ORG ")).toBe(plain);
    expect(importedRespondentId(pepper, "jos\u00e9+x@example.org")).not.toBe(plain);
    expect(importedRespondentId(pepper, "j.os\u00e9@example.org")).not.toBe(plain);
  });

  it("is never what the same text as a respondent's id hashes to", () => {
    expect(importedRespondentId(pepper, "ann")).not.toContain(hex(respondentHash(pepper, "ann")));
  });
});

describe("the service's secrets", () => {
  it("are apart from each other by purpose", () => {
    const keys = [
      secrets.tokenKey("p", "a"),
      secrets.tokenKey("p", "b"),
      secrets.tokenKey("q", "a"),
      secrets.cursorKey("p"),
      secrets.cursorKey("q"),
      secrets.quotaKey(),
      pepper,
      secrets.pepper({ id: "p", pepperSalt: "01" }),
      secrets.pepper({ id: "q", pepperSalt: "00" }),
    ];
    expect(new Set(keys.map((key) => hex(keyedHash(key, "ann")))).size).toBe(9);
  });

  it("are the same after more derivations than are remembered", () => {
    const before = hex(keyedHash(secrets.tokenKey("p", "a"), "ann"));
    for (let keyId = 0; keyId <= 10_000; keyId++) secrets.tokenKey("p", `${keyId}`);
    expect(hex(keyedHash(secrets.tokenKey("p", "a"), "ann"))).toBe(before);
  });

  it("need a master key of 32 bytes, and tell two apart by a fingerprint", () => {
    expect(() => new ServiceSecrets(Buffer.alloc(31))).toThrow("32 bytes");
    expect(secrets.fingerprint()).toMatch(/^[0-9a-f]{16}$/);
    expect(new ServiceSecrets(Buffer.alloc(32, 2)).fingerprint()).not.toBe(secrets.fingerprint());
  });
});
