import { describe, expect, it } from "vitest";
import { MasterKey, openSecrets, randomSecrets, sealedWith, sealSecrets } from "./master-keys.ts";

const [key, otherKey] = [1, 2].map((byte) => new MasterKey(Buffer.alloc(32, byte))) as [MasterKey, MasterKey];
const secrets = randomSecrets();
const sealed = sealSecrets(key, "shop", secrets);
const shop = { id: "shop", secrets: sealed };

describe("a project's sealed secrets", () => {
  it("are random, and open to what was sealed", () => {
    const opened = openSecrets(key, shop);
    expect([opened.pepper.equals(secrets.pepper), opened.cursorKey.equals(secrets.cursorKey)]).toEqual([
      true,
      true,
    ]);
    const all = [secrets, randomSecrets()].flatMap(({ pepper, cursorKey }) => [pepper, cursorKey]);
    expect(new Set(all.map((one) => one.export().toString("hex"))).size).toBe(4);
  });

  it("name the master key that sealed them", () => {
    expect(sealed.startsWith(`ps1.${key.id}.`)).toBe(true);
    expect(sealedWith(shop)).toBe(key.id);
  });

  it("do not open under another master key, for another project, under another key id or version, or changed", () => {
    const named = sealed.replace(key.id, otherKey.id);
    const changed = sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA");
    expect(() => openSecrets(otherKey, shop)).toThrow();
    expect(() => openSecrets(key, { ...shop, id: "other" })).toThrow();
    for (const text of [named, changed, sealed.replace("ps1", "ps2")])
      expect(() => openSecrets(key, { ...shop, secrets: text })).toThrow();
  });

  it("are called damaged where they are anything else, with the project's id", () => {
    for (const read of [
      () => sealedWith({ id: "shop", secrets: "00ff" }),
      () => openSecrets(key, { id: "shop", secrets: "" }),
    ])
      expect(read).toThrow("The secrets of the project shop are damaged.");
  });
});
