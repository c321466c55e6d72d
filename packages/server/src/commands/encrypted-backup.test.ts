import { appendFileSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AfterwordServer } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

const now = { now: Date.now() + 5 * 60_000 };

async function keyPair() {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** A database with an answer, and its backup encrypted to two keys. */
async function encryptedBackup(server: AfterwordServer) {
  {
    await using shop = await Shop.open({ database: server.database });
    await shop.answer({ respondentId: "ada", text: "ada's words" });
  }
  const pairs = [await keyPair(), await keyPair()];
  const file = server.file("copy.db.age");
  const flags = pairs.map(({ recipient }) => `--encrypt-to ${recipient}`).join(" ");
  const outcome = await server.run(`backup ${file} ${flags} --json`);
  const identities = pairs.map(({ identity }, index) =>
    server.file(`identity-${index}.txt`, `# public key: ${pairs[index]!.recipient}\n${identity}\n`),
  );
  return { file, identities, outcome };
}

describe("an encrypted backup", () => {
  it("is restored by the holder of either key, with the hash of what was checked", async () => {
    using server = new AfterwordServer();
    const { file, identities, outcome } = await encryptedBackup(server);
    expect(outcome.json()).toMatchObject({ file, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(readFileSync(file, "latin1")).toMatch(/^age-encryption\.org\/v1\n/);
    expect(readFileSync(file, "latin1")).not.toContain("ada's words");
    for (const identity of identities) {
      using drill = new AfterwordServer();
      copyFileSync(`${server.database}.key`, `${drill.database}.key`);
      const words = `restore ${file} --identity ${identity} --without-erasure-log --json`;
      expect((await drill.run(words, now)).json()["sha256"]).toBe(outcome.json()["sha256"]);
      await using shop = await Shop.open({ database: drill.database });
      expect((await shop.export()).map((row) => row["text"])).toEqual(["ada's words"]);
    }
  });

  it("leaves no copy that is not encrypted", async () => {
    using server = new AfterwordServer();
    await encryptedBackup(server);
    const others = readdirSync(server.folder).filter(
      (name) => !/^(afterword\.db|identity-|copy\.db\.age$)/.test(name),
    );
    expect(others).toEqual([]);
  });

  it("is not made of a copy that changes after it was checked", async () => {
    using server = new AfterwordServer();
    await server.run("project create shop");
    const file = server.file("copy.db.age");
    const encrypt = Encrypter.prototype.encrypt as (stream: ReadableStream) => Promise<ReadableStream>;
    const changing = vi
      .spyOn(Encrypter.prototype as { encrypt: typeof encrypt }, "encrypt")
      .mockImplementation(function (this: Encrypter, stream) {
        appendFileSync(`${file}.unfinished`, "more");
        return encrypt.call(this, stream);
      });
    onTestFinished(() => changing.mockRestore());
    const { recipient } = await keyPair();
    const { code, error } = await server.run(`backup ${file} --encrypt-to ${recipient}`);
    expect([code, error]).toEqual([1, expect.stringContaining("changed while it was encrypted")]);
    expect(readdirSync(server.folder).filter((name) => name.startsWith("copy"))).toEqual([]);
  });

  const cut = (file: string) => writeFileSync(file, readFileSync(file).subarray(0, -100));
  const damage = (file: string) => {
    const bytes = readFileSync(file);
    bytes[bytes.length - 200]! ^= 1;
    writeFileSync(file, bytes);
  };
  const keep = () => undefined;
  it.each([
    ["without its key", keep, async () => "", "is encrypted: pass the file with the secret key"],
    ["with another key", keep, async () => `${(await keyPair()).identity}\n`, "Could not decrypt"],
    ["with a file that has no key", keep, async () => "# nothing\n", "has no secret key of age"],
    ["cut short", cut, undefined, "damaged or incomplete"],
    ["damaged", damage, undefined, "damaged or incomplete"],
  ])("%s is refused and leaves the database as it is", async (_, change, other, message) => {
    using server = new AfterwordServer();
    const { file, identities } = await encryptedBackup(server);
    change(file);
    const key = await other?.();
    const identity = key === undefined ? identities[0] : key && server.file("other.txt", key);
    const before = readFileSync(server.database);
    const flag = identity ? `--identity ${identity}` : "";
    const words = `restore ${file} --without-erasure-log --yes ${flag}`.trim();
    const { code, error } = await server.run(words, now);
    expect([code, error]).toEqual([3, expect.stringContaining(message)]);
    expect(readFileSync(server.database)).toEqual(before);
    expect(readdirSync(server.folder)).not.toContain("afterword.db.incoming");
  });

  it("needs a public key of age, and a backup that is encrypted", async () => {
    using server = new AfterwordServer();
    await server.run("project create shop");
    const { code, error } = await server.run(`backup ${server.file("copy.db")} --encrypt-to age1nonsense`);
    expect([code, error]).toEqual([3, expect.stringContaining("is not a public key of age")]);
    await server.run(`backup ${server.file("copy.db")}`);
    const identity = server.file("identity.txt", `${(await keyPair()).identity}\n`);
    const plain = await server.run(
      `restore ${server.file("copy.db")} --identity ${identity} --without-erasure-log`,
    );
    expect([plain.code, plain.error]).toEqual([
      3,
      expect.stringContaining("is not encrypted: leave out --identity"),
    ]);
  });
});
