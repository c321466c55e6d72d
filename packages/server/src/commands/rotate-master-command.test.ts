import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Application,
  createApp,
  issueTokens,
  MasterKey,
  masterKeyPlace,
  MasterKeys,
} from "@afterword/reference-server/internal";
import { openStore } from "../postgres/open-store.ts";
import { AfterwordServer, noon, survey, type Circumstances } from "./afterword-server.fixture.ts";

const minuteInMs = 60_000;
const dayInMs = 86_400_000;
const hex = () => randomBytes(32).toString("hex");
const idOf = (key: string) => new MasterKey(Buffer.from(key, "hex")).id;

let server: AfterwordServer;
beforeEach(async () => {
  server = new AfterwordServer();
  await server.run("project create shop");
  await server.apply([survey("visit")]);
});
afterEach(() => server[Symbol.dispose]());

const keyFile = () => server.file("afterword.db.key");
const keysIn = (file = keyFile()) => readFileSync(file, "utf8").trim().split("\n");
const run = (words: string, circumstances: Circumstances = {}) =>
  server.run(`key rotate-master ${words}`.trim(), circumstances);
/** Adds a new key to the file, as an operator does, and rotates to it. */
async function rotate(words = "", circumstances: Circumstances = {}) {
  appendFileSync(keyFile(), `${hex()}\n`);
  return run(words, circumstances);
}

/** A server beside the commands, on the same database. */
async function running(now: () => number, keyFileGiven?: string): Promise<Application> {
  const { database } = server;
  const store = await openStore(database);
  const clock = { now };
  const place = masterKeyPlace({ keyFile: keyFileGiven, database, store, clock });
  const masterKeys = await MasterKeys.open(store, place.read, clock);
  return { ...(await createApp({ store, clock, masterKeys })), close: store.close };
}

const offeredTo = async ({ service }: Application, respondentId: string) =>
  (await issueTokens(service, service.directory.project("shop")!, { respondentId })).tokens["visit"];

async function submit({ app, service }: Application, showToken: string): Promise<number> {
  const { publishableKey: key } = service.directory
    .project("shop")!
    .keys.find((one) => one.kind === "publishable")!;
  const body = JSON.stringify({ key, showToken, surveyId: "visit", rating: 4 });
  const headers = { "content-type": "application/json" };
  return (await app.request("/v1/sdk/responses", { method: "POST", body, headers })).status;
}

describe("key rotate-master", () => {
  it("goes over to the new key in the key file, and names both", async () => {
    const { code, out, error } = await rotate();
    const [old, next] = keysIn();
    expect(code).toBe(0);
    expect(out).toBe(`Rotated the master key from ${idOf(old!)} to ${idOf(next!)}.`);
    expect(error).toContain(`Show-tokens of ${idOf(old!)} stay valid until 2026-03-31T12:02:00.000Z`);
  });

  it("keeps tokens, suppression and hashes valid in a server that runs meanwhile", async () => {
    let now = noon;
    await using shop = await running(() => now);
    const [used, unused] = [await offeredTo(shop, "ann"), await offeredTo(shop, "bob")];
    expect(await submit(shop, used!)).toBe(201);
    const { pepper } = shop.service.directory.project("shop")!;
    await rotate("--overlap 1d");
    await shop.service.directory.refresh();
    expect(await offeredTo(shop, "ann")).toBeUndefined();
    const seals = () => shop.service.masterKeys.sealing(now).id;
    const [old, next] = keysIn().map(idOf);
    expect(seals()).toBe(old);
    now += minuteInMs;
    expect(seals()).toBe(next);
    expect(await submit(shop, unused!)).toBe(201);
    await using restarted = await running(() => now);
    expect(await offeredTo(restarted, "ann")).toBeUndefined();
    expect(restarted.service.directory.project("shop")!.pepper.equals(pepper)).toBe(true);
  });

  it("refuses tokens of the old key after the overlap, which may be set", async () => {
    let now = noon;
    await using shop = await running(() => now);
    const [early, late] = [await offeredTo(shop, "ann"), await offeredTo(shop, "bob")];
    await rotate("--overlap 10m");
    await shop.service.directory.refresh();
    now += 11 * minuteInMs;
    expect(await submit(shop, early!)).toBe(201);
    now += minuteInMs;
    expect(await submit(shop, late!)).toBe(401);
  });

  it("works with a key file elsewhere", async () => {
    const elsewhere = server.file("keys.txt", `${readFileSync(keyFile(), "utf8")}${hex()}\n`);
    expect((await run(`--key-file ${elsewhere}`)).code).toBe(0);
    await using shop = await running(() => noon, elsewhere);
    expect(shop.service.masterKeys.records[0]!.id).toBe(idOf(keysIn(elsewhere)[1]!));
  });

  it("takes the new key from the variable, which must have both", async () => {
    const [old] = keysIn();
    const next = hex();
    const alone = await run("", { environment: { AFTERWORD_MASTER_KEY: old! } });
    expect([alone.code, alone.error.split("\n").length]).toEqual([3, 1]);
    expect(alone.error).toContain("There is no new master key. Add one (openssl rand -hex 32)");
    const both = await run("--json", { environment: { AFTERWORD_MASTER_KEY: `${old},${next}` } });
    expect(both.json()).toMatchObject({ masterKeys: [{ id: idOf(next) }, { id: idOf(old!) }] });
  });
});

describe("key rotate-master changes nothing", () => {
  const state = async () => {
    const store = await openStore(server.database);
    const all = [await store.readDirectory(), await store.masterKeys(), keysIn()];
    await store.close();
    return all;
  };

  it.each<[string, string, number, string, (() => unknown)?]>([
    ["while a rotation is under way", "", 3, "is under way: the master key", () => rotate()],
    [
      "with another key",
      "--key-file other.key",
      3,
      "uses another master key",
      () => server.file("other.key", hex()),
    ],
    ["with an unreadable key file", "--key-file none.key", 3, "does not exist; create it with"],
    [
      "with two new keys",
      "",
      3,
      "More than one new master key is given",
      () => writeFileSync(keyFile(), [hex(), hex(), ...keysIn()].join("\n")),
    ],
    ["without a new key", "", 3, "There is no new master key."],
    ["with an invalid overlap", "--overlap soon", 2, "Pass a whole number with s, m, h or d, such as 30d."],
    ["when there is no overlap to end", "--end-overlap", 3, "was never rotated"],
    [
      "when it ends before every node has the new key",
      "--end-overlap",
      3,
      "try again in a minute",
      () => rotate(),
    ],
  ])("%s", async (_, words, code, message, before = () => undefined) => {
    await before();
    const expected = await state();
    const outcome = await run(words.replace(/\w+\.key/, (name) => server.file(name)));
    expect(outcome.code).toBe(code);
    expect(outcome.log.join()).not.toContain(`"outcome":"done"`);
    expect(outcome.error).toContain(message);
    expect(await state()).toEqual(expected);
  });
});

describe("key rotate-master --end-overlap", () => {
  it("refuses tokens of the old key at once, and says to take it out of the file while it is there", async () => {
    let now = noon;
    await using shop = await running(() => now);
    const token = await offeredTo(shop, "ann");
    await rotate();
    now += minuteInMs;
    const [old, next] = keysIn();
    const remark = `Remove the key ${idOf(old!)} from the key file or AFTERWORD_MASTER_KEY.`;
    for (const expected of [remark, ""]) {
      const { code, out, error } = await run("--end-overlap", { now: now++ });
      expect([code, out, error]).toEqual([
        0,
        `Show-tokens of the master key ${idOf(old!)} are refused.`,
        expected,
      ]);
      writeFileSync(keyFile(), next!);
    }
    await shop.service.directory.refresh();
    expect(await submit(shop, token!)).toBe(401);
  });

  it("never lets the next rotation go back to the old key", async () => {
    await rotate();
    await run("--end-overlap", { now: noon + dayInMs });
    const again = await run("", { now: noon + dayInMs });
    expect([again.code, again.error]).toEqual([3, expect.stringContaining("There is no new master key.")]);
  });
});

describe("a backup from before a rotation", () => {
  it("is restored while the old key is still given, and refused without it", async () => {
    const copy = server.file("copy.db");
    await server.run(`backup ${copy}`);
    const [old] = keysIn();
    await rotate();
    const restore = () => server.run(`restore ${copy} --without-erasure-log --yes`);
    expect((await restore()).code).toBe(0);
    await using shop = await running(() => noon);
    expect(shop.service.masterKeys.records.map(({ id }) => id)).toEqual([idOf(old!)]);
    await shop.close();
    expect((await run("")).code).toBe(0);
    await run("--end-overlap", { now: noon + minuteInMs });
    writeFileSync(keyFile(), keysIn()[1]!);
    const refused = await restore();
    expect([refused.code, refused.error]).toEqual([3, expect.stringContaining("uses another master key")]);
    expect((await server.run("project list")).code).toBe(0);
  });
});

describe("doctor", () => {
  const masterKey = async (now: number, environment = {}) => {
    const { findings } = (await server.run("doctor --json", { now, environment })).json() as {
      findings: { name: string; isGood: boolean; found: string; advice?: string }[];
    };
    return findings.find(({ name }) => name === "master key")!;
  };

  it("tells the id and the age of the master key, and until when the one before it is valid", async () => {
    const [first] = keysIn();
    expect(await masterKey(noon + 3 * dayInMs)).toEqual({
      name: "master key",
      isGood: true,
      found: `${idOf(first!)}, 3 days old`,
    });
    await rotate("--overlap 1d", { now: noon + 3 * dayInMs });
    const [old, next] = keysIn();
    const found = `${idOf(next!)}, 0 days old; ${idOf(old!)} stays valid until 2026-03-05T12:02:00.000Z`;
    expect(await masterKey(noon + 3 * dayInMs)).toMatchObject({ isGood: true, found });
  });

  it("reports a replaced key that is missing, or of no use any more, and a new one that waits", async () => {
    const [old] = keysIn();
    writeFileSync(keyFile(), [old, hex()].join("\n"));
    expect(await masterKey(noon)).toMatchObject({
      isGood: false,
      advice: expect.stringContaining("not in use"),
    });
    await run("--overlap 1d");
    expect((await masterKey(noon + 2 * dayInMs)).advice).toContain("--end-overlap");
    writeFileSync(
      keyFile(),
      keysIn().find((key) => key !== old)!,
    );
    expect((await masterKey(noon)).advice).toContain(`The previous master key ${idOf(old!)} is missing`);
    expect(await masterKey(noon + 2 * dayInMs)).toMatchObject({ isGood: true });
  });
});
