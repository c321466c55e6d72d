import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AfterwordServer, noon } from "./afterword-server.fixture.ts";

const keysOf = async (server: AfterwordServer, now = noon) =>
  (await server.run("key list shop --json", { now })).json()["keys"] as Record<string, string>[];

describe("key create", () => {
  it("adds a key and keeps the others valid", async () => {
    using server = await AfterwordServer.withShop();
    const { code, out, error } = await server.run("key create shop secret");
    expect(code).toBe(0);
    // Alone on stdout, so that a pipe can take it.
    expect(out).toMatch(/^aw_sk_\w{49}$/);
    expect(error).toContain("cannot be shown again");
    expect(
      (await keysOf(server)).filter(({ kind, state }) => kind === "secret" && state === "valid"),
    ).toHaveLength(2);
  });

  it.each([
    ["90d", "2026-05-30T12:00:00.000Z"],
    ["2027-01-31", "2027-01-31T00:00:00.000Z"],
  ])("accepts an expiry of %s", async (expires, expiresAt) => {
    using server = await AfterwordServer.withShop();
    expect(
      (await server.run(`key create shop publishable --expires ${expires} --json`)).json(),
    ).toMatchObject({
      kind: "publishable",
      state: "valid",
      expiresAt,
    });
  });

  it("limits a secret key to scopes, which key list shows", async () => {
    using server = await AfterwordServer.withShop();
    const { id, scopes } = (await server.run("key create shop secret --scope mint,scores --json")).json();
    expect(scopes).toEqual(["mint", "scores"]);
    const all = await keysOf(server);
    expect(all.find((key) => key["id"] === id)?.["scopes"]).toEqual(["mint", "scores"]);
    const unlimited = all.find((key) => key["kind"] === "secret" && key["id"] !== id);
    expect(unlimited?.["scopes"]).toEqual(["mint", "scores", "privacy"]);
  });

  it("shows whether a key has expired", async () => {
    using server = await AfterwordServer.withShop();
    const { id } = (await server.run("key create shop secret --expires 1d --json")).json();
    const later = await keysOf(server, noon + 2 * 86_400_000);
    expect(later.find((key) => key["id"] === id)).toMatchObject({ state: "expired" });
  });

  it.each([
    ["shop secret --expires soon", 2, "Pass a duration such as 90d"],
    ["shop secret --expires 0d", 2, "which must be more than 0"],
    ["shop secret --expires 2020-01-01", 3, "would have expired already"],
    ["shop secret --scope mint,read", 2, "Pass one or more of mint, scores, privacy"],
    ["shop publishable --scope mint", 3, "Only a secret key has scopes"],
    ["shop private", 2, "Allowed choices are publishable, secret"],
    ["shopp secret", 3, 'There is no project "shopp"'],
  ])("%s is refused", async (words, code, message) => {
    using server = await AfterwordServer.withShop();
    const outcome = await server.run(`key create ${words}`);
    expect(outcome.code).toBe(code);
    expect(outcome.error).toContain(message);
    expect(await keysOf(server)).toHaveLength(2);
  });
});

describe("a secret key", () => {
  it("is in no file, only its hash", async () => {
    using server = new AfterwordServer();
    const { secretKey } = (await server.run("project create shop --json")).json() as Record<string, string>;
    const { key } = (await server.run("key create shop secret --json")).json() as Record<string, string>;
    const files = readdirSync(server.folder);
    expect(files).toContain("afterword.db");
    for (const name of files) {
      const bytes = readFileSync(join(server.folder, name));
      for (const secret of [secretKey!, key!]) expect([name, bytes.includes(secret)]).toEqual([name, false]);
    }
  });
});

describe("key list", () => {
  it("shows neither a secret key nor its digest", async () => {
    using server = new AfterwordServer();
    const { secretKey } = (await server.run("project create shop --json")).json();
    const { out } = await server.run("key list shop --json");
    expect(out).not.toContain(secretKey);
    expect(out).not.toContain("digest");
  });
});

describe("key revoke", () => {
  it("makes the server refuse the key; a second revocation changes nothing", async () => {
    using server = await AfterwordServer.withShop();
    const secret = (await keysOf(server)).find(({ kind }) => kind === "secret");
    const { code, error } = await server.run(`key revoke ${secret!["id"]} --yes`);
    expect(code).toBe(0);
    expect(error).toContain("has no other valid secret key");
    const again = await server.run(`key revoke ${secret!["id"]} --yes --json`, { now: noon + 60_000 });
    expect(again.json()).toMatchObject({ state: "revoked", revokedAt: "2026-03-01T12:00:00.000Z" });
  });

  it("does not count an expired key as remaining", async () => {
    using server = await AfterwordServer.withShop();
    await server.run("key create shop secret --expires 1d");
    const first = (await keysOf(server)).find(({ kind, expiresAt }) => kind === "secret" && !expiresAt);
    const { error } = await server.run(`key revoke ${first!["id"]} --yes`, { now: noon + 2 * 86_400_000 });
    expect(error).toContain("has no other valid secret key");
  });

  it("asks first", async () => {
    using server = await AfterwordServer.withShop();
    const secret = (await keysOf(server)).find(({ kind }) => kind === "secret");
    expect((await server.run(`key revoke ${secret!["id"]}`)).code).toBe(3);
    expect((await keysOf(server)).map(({ state }) => state)).toEqual(["valid", "valid"]);
  });

  it("says where to find ids when the key does not exist, without asking for confirmation", async () => {
    using server = await AfterwordServer.withShop();
    const asked = await server.run("key revoke key_nobody", { typed: "key_nobody" });
    expect(asked.error).toBe('There is no key "key_nobody": `key list` shows the ids.');
    const { code, error } = await server.run("key revoke key_0 --yes");
    expect(code).toBe(3);
    expect(error).toBe('There is no key "key_0": `key list` shows the ids.');
  });
});
