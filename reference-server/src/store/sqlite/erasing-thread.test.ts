import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type NewResponse, type Store } from "../store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const people = 3000;
const now = Date.parse("2026-03-04T05:06:07.089Z");

function answer(person: number, surveyId = "asked"): NewResponse {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(person);
  bytes.write(surveyId, 4);
  return {
    id: `${surveyId} ${person}`,
    at: now + person,
    token: { projectId: "shop", epoch: 1, tokenId: bytes },
    surveyId,
    surveyVersion: 1,
    respondentId: `person ${person}`,
    respondentHash: Buffer.from(bytes),
    runHash: Buffer.from(bytes),
    isCounted: true,
    rating: 9,
    text: "It went well enough",
    sessionId: `session ${person}`,
  };
}

describe("an erasure of a survey that many have answered", () => {
  const answered = mkdtempSync(join(tmpdir(), "afterword-answered-"));
  let folder: string;
  let store: Store;
  beforeAll(async () => {
    const filled = openSqliteStore(join(answered, "a.db"), "migrate").store;
    const project = { id: "shop", name: "Shop", allowedOrigins: [], gating: {}, epoch: 1, secrets: "" };
    await filled.changeDirectory(() => ({ projects: [{ ...project, createdAt: now }] }));
    await Promise.all(Array.from({ length: people }, (_, person) => filled.submit(answer(person))));
    await filled.close();
  });
  afterAll(() => rmSync(answered, { recursive: true }));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "afterword-erasing-"));
    cpSync(answered, folder, { recursive: true });
    store = openSqliteStore(join(folder, "a.db"), "none").store;
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const eraseAll = () => store.erase({ projectId: "shop", surveyIds: ["asked"] });
  const page = { projectId: "shop", after: 0, includeFailed: false, limit: 10 };

  it("erases as one of a few does, and leaves other surveys alone", async () => {
    await store.submit(answer(1, "other"));
    expect(await eraseAll()).toEqual({
      responsesDeleted: people,
      dismissalsDeleted: 0,
      suppressionRetained: people,
    });
    expect((await store.pendingScores(page)).map(({ id }) => id)).toEqual(["other 1"]);
    expect(await store.submit(answer(7))).toEqual({
      outcome: "spent",
      existing: { kind: "response", id: undefined, at: undefined },
    });
  });

  it("does not keep the process from answering others meanwhile", async () => {
    const state = { isErased: false, answered: 0 };
    const erased = eraseAll().finally(() => (state.isErased = true));
    while (!state.isErased) {
      // Of a transaction that is not committed nobody sees anything.
      if ((await store.pendingScores(page)).length === page.limit) state.answered++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await erased;
    expect(state.answered).toBeGreaterThan(20);
  });

  it("has what is stored meanwhile wait for it, and loses none of it", async () => {
    const erased = eraseAll();
    const stored = [0, 1, 2].map((person) => store.submit(answer(person, "other")));
    const counts = await Promise.all([erased, eraseAll()]);
    expect(counts.map((one) => one.responsesDeleted).toSorted()).toEqual([0, people]);
    const outcomes = (await Promise.all(stored)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array(3).fill("stored"));
    expect((await store.pendingScores(page)).map(({ surveyId }) => surveyId)).toEqual(Array(3).fill("other"));
  });

  it("is whole when the store is closed right after it was asked for", async () => {
    const failures: unknown[] = [];
    store.onBackgroundFailure((...failure) => failures.push(failure));
    const erased = eraseAll();
    await store.close();
    expect((await erased).responsesDeleted).toBe(people);
    expect(failures).toEqual([]);
  });

  it("starts its thread whatever flags the program was started with", () => {
    const url = new URL("sqlite-store.ts", import.meta.url).href;
    const program = `
      import { openSqliteStore } from ${JSON.stringify(url)};
      const store = openSqliteStore(${JSON.stringify(join(folder, "a.db"))}, "none").store;
      const { responsesDeleted } = await store.erase({ projectId: "shop", surveyIds: ["asked"] });
      await store.close();
      console.log(responsesDeleted);`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
    });
    expect(stdout, stderr).toBe(`${people}\n`);
  });

  it("fails as any other write does, and has changed nothing", async () => {
    const other = new Database(join(folder, "a.db"));
    other.exec("CREATE TRIGGER hold BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'runs are held'); END");
    await expect(eraseAll()).rejects.toMatchObject({ message: "runs are held" });
    other.exec("DROP TRIGGER hold");
    other.close();
    expect(await store.pendingScores(page)).toHaveLength(page.limit);
    expect((await eraseAll()).responsesDeleted).toBe(people);
  });
});
