import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@afterword/server/internal";
import Database from "better-sqlite3";
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import { storeSuite } from "./store.suite.ts";
import { addProject, exportOf, idsOf, response } from "./store-world.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-conformance-"));
let databases = 0;
const freshDatabase = () => join(folder, `${++databases}.db`);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

storeSuite("SQLite", async () => freshDatabase());

it("a store on SQLite lets 5,000 writes wait for another process for five seconds, and stores none of those it refuses", async () => {
  const database = freshDatabase();
  const store = await openStore(database);
  const project = await addProject(store);
  const submit = () => store.submit(response(project));
  const other = new Database(database);
  other.exec("BEGIN IMMEDIATE");
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const waiting = Array.from({ length: 5000 }, submit);
  const unavailable = { name: "StoreUnavailable" };
  await expect(submit()).rejects.toMatchObject(unavailable);
  vi.advanceTimersByTime(5000);
  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes.at(-1)).toMatchObject({ status: "rejected", reason: unavailable });
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toEqual([]);
  other.exec("COMMIT");
  other.close();
  const stored = response(project);
  expect(await store.submit(stored)).toEqual({ outcome: "stored" });
  expect(idsOf((await exportOf(store, { projectId: project })).rows)).toEqual([stored.id]);
  await store.close();
});
