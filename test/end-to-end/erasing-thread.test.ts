import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { addProject, response } from "../conformance/store-world.ts";

const people = 3000;

function isLocked(writer: Database.Database): boolean {
  try {
    writer.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch {
    return true;
  }
}

it("@afterword/server, as built, erases many rows in a thread, answers others meanwhile, and lets writes wait", async () => {
  const index = new URL(`../../packages/server/dist/index.js`, import.meta.url).href;
  const { openStore } = (await import(index)) as typeof import("@afterword/server");
  const folder = mkdtempSync(join(tmpdir(), "afterword-built-"));
  const path = join(folder, "a.db");
  const store = await openStore(path);
  const writer = new Database(path, { timeout: 0 });
  onTestFinished(async () => {
    writer.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const projectId = await addProject(store);
  await Promise.all(
    Array.from({ length: people }, () => store.submit(response(projectId, { sessionId: "run" }))),
  );
  let threads = 0;
  const count = () => (threads += 1);
  process.on("worker", count);
  onTestFinished(() => void process.off("worker", count));
  const page = { projectId, after: 0, includeFailed: false, limit: 10 };
  const seen = { isErased: false, isStored: false, hasNotWaited: false, pages: 0 };
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  const erased = store.erase({ projectId, surveyIds: ["survey-1"] }).finally(() => (seen.isErased = true));
  while (!seen.isErased && !isLocked(writer)) await nextTurn();
  const other = store
    .submit(response(projectId, { surveyId: "another", sessionId: "run" }))
    .finally(() => (seen.isStored = true));
  while (!seen.isErased) {
    seen.hasNotWaited ||= seen.isStored && isLocked(writer);
    if ((await store.pendingScores(page)).scores.length === page.limit) seen.pages += 1;
    await nextTurn();
  }
  expect((await erased).responsesDeleted).toBe(people);
  expect([threads, seen.hasNotWaited]).toEqual([1, false]);
  // Readers see nothing of an uncommitted transaction.
  expect(seen.pages).toBeGreaterThan(10);
  expect(await other).toEqual({ outcome: "stored" });
  expect((await store.pendingScores(page)).scores.map(({ surveyId }) => surveyId)).toEqual(["another"]);
});
