import { createCipheriv } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterMode } from "./counter-mode.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

describe("counter mode", () => {
  it("makes of the example of NIST SP 800-38A, F.5.5, what the example says", () => {
    const key = hex("603deb1015ca71be2b73aef0857d7781 1f352c073b6108d72d9810a30914dff4");
    const text = hex("6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51");
    const hidden = hex("601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5");
    const counter = hex("f0f1f2f3f4f5f6f7f8f9fafb fcfdfeff");
    expect(new CounterMode(key).apply(text, counter, counter.readUInt32BE(12))).toEqual(hidden);
  });

  it("is Node's own, for any text from any block on", () => {
    const text = fc.uint8Array({ maxLength: 5000, size: "max" });
    const block = fc.integer({ min: 0, max: 2 ** 32 - 400 });
    fc.assert(
      fc.property(bytes(32), bytes(12), block, text, (key, nonce, firstBlock, plain) => {
        const counter = Buffer.concat([nonce, Buffer.alloc(4)]);
        counter.writeUInt32BE(firstBlock, 12);
        const expected = createCipheriv("aes-256-ctr", key, counter).update(plain);
        expect(new CounterMode(key).apply(plain, nonce, firstBlock)).toEqual(expected);
      }),
    );
  });

  it("shows again what it hid, one text after the other under the same key", () => {
    const cipher = new CounterMode(Buffer.alloc(32, 1));
    const nonce = Buffer.alloc(12, 2);
    const texts = ["", "one", "a text of more than one block, which is sixteen bytes"].map((text) =>
      Buffer.from(text),
    );
    const hidden = texts.map((text, index) => cipher.apply(text, nonce, index * 8));
    expect(hidden.map((text, index) => cipher.apply(text, nonce, index * 8))).toEqual(texts);
  });
});
