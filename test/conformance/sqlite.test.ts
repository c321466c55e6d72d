import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
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

it("a store on SQLite lets 5,000 writes wait for another process, each for five seconds, and stores none of those it refuses", async () => {
  const database = freshDatabase();
  const store = await openStore(database);
  const project = await addProject(store);
  const submit = () => store.submit(response(project));
  const other = new Database(database);
  other.exec("BEGIN IMMEDIATE");
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let settled = 0;
  const waiting = Array.from({ length: 4999 }, () => submit().finally(() => settled++));
  const refused = Promise.allSettled(waiting);
  vi.advanceTimersByTime(4000);
  const last = response(project);
  const outcome = store.submit(last);
  const unavailable = { name: "StoreUnavailable" };
  await expect(submit()).rejects.toMatchObject(unavailable);
  vi.advanceTimersByTime(999);
  // Time for some attempts, which are five milliseconds apart.
  await delay(50);
  expect(settled).toBe(0);
  vi.advanceTimersByTime(1);
  for (const one of await refused) expect(one).toMatchObject({ status: "rejected", reason: unavailable });
  other.exec("COMMIT");
  other.close();
  expect(await outcome).toEqual({ outcome: "stored" });
  expect(idsOf((await exportOf(store, { projectId: project })).rows)).toEqual([last.id]);
  await store.close();
});
