import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { KeyedHash } from "./keyed-hash.ts";

const byNode = (key: Uint8Array, text: string) => createHmac("sha256", key).update(text).digest("hex");

test("a keyed hash is the HMAC-SHA-256 of the text, for keys of up to 64 bytes", () => {
  for (const length of [0, 1, 32, 63, 64]) {
    const key = Buffer.alloc(length, length + 7);
    expect(new KeyedHash(key).digest("respondent/Zoë 🙂").toString("hex")).toBe(
      byNode(key, "respondent/Zoë 🙂"),
    );
  }
});

test("texts of any length follow each other under one key without leaving a trace", () => {
  const key = Buffer.alloc(32, 5);
  const keyed = new KeyedHash(key);
  for (const length of [3000, 0, 2048, 1, 2049, 64, 0]) {
    const text = "ü".repeat(Math.floor(length / 2)) + "x".repeat(length % 2);
    expect(keyed.digest(text).toString("hex")).toBe(byNode(key, text));
  }
});

test("a result stays as it is when the next text is hashed", () => {
  const keyed = new KeyedHash(Buffer.alloc(32, 5));
  const first = keyed.digest("one");
  const copy = Buffer.from(first);
  keyed.digest("two");
  expect(first).toEqual(copy);
});

test("a key of more than 64 bytes is refused", () => {
  expect(() => new KeyedHash(Buffer.alloc(65))).toThrow(RangeError);
});
