import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../store.ts";
import { WriteQueue } from "./write-queue.ts";

let folder: string;
let path: string;
let connection: Database.Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "afterword-queue-"));
  path = join(folder, "queue.db");
  connection = new Database(path, { timeout: 0 });
  connection.pragma("journal_mode = WAL");
  connection.exec("CREATE TABLE notes (text TEXT PRIMARY KEY) STRICT");
});

afterEach(() => {
  connection.close();
  rmSync(folder, { recursive: true });
});

const add = (text: string) => () => connection.prepare("INSERT INTO notes VALUES (?)").run(text).changes;
const stored = () => connection.prepare<[], string>("SELECT text FROM notes ORDER BY text").pluck().all();

describe("group commit", () => {
  it("one write that fails takes no other with it", async () => {
    const queue = new WriteQueue(connection);
    const results = await Promise.allSettled(["a", "a", "b"].map((text) => queue.write(add(text))));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(stored()).toEqual(["a", "b"]);
  });

  it("refuses writes beyond its capacity at once, and stores the others", async () => {
    const queue = new WriteQueue(connection, { capacity: 2 });
    const results = await Promise.allSettled(["a", "b", "c"].map((text) => queue.write(add(text))));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect((results[2] as PromiseRejectedResult).reason).toBeInstanceOf(StoreUnavailable);
  });

  it("waits for another process that writes, and goes on when it is done", async () => {
    const queue = new WriteQueue(connection);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const writing = queue.write(add("a"));
    const releasing = new Promise<void>((resolve) => {
      setImmediate(() => {
        other.exec("COMMIT");
        other.close();
        resolve();
      });
    });
    await Promise.all([writing, releasing]);
    expect(stored()).toEqual(["a"]);
  });

  it("gives up on a process that never ends, and stores nothing", async () => {
    const queue = new WriteQueue(connection, { patienceInMs: 10 });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(queue.write(add("a"))).rejects.toBeInstanceOf(StoreUnavailable);
    other.exec("ROLLBACK");
    other.close();
    expect(stored()).toEqual([]);
    await queue.write(add("b"));
    expect(stored()).toEqual(["b"]);
  });

  it("refuses each write once it has waited that long itself, however many wait before it", async () => {
    let now = 0;
    const queue = new WriteQueue(connection, { batchSize: 1, patienceInMs: 100, stopwatch: () => now });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const [first, second] = [queue.write(add("a")), queue.write(add("b"))];
    now = 50;
    const third = queue.write(add("c"));
    now = 100;
    const refused = await Promise.allSettled([first, second]);
    expect(refused.map((one) => one.status === "rejected" && one.reason instanceof StoreUnavailable)).toEqual(
      [true, true],
    );
    other.exec("ROLLBACK");
    other.close();
    await third;
    expect(stored()).toEqual(["c"]);
  });

  it("fails each write to a database that may not be written, and none of them hangs", async () => {
    const readOnly = new Database(path, { readonly: true });
    const queue = new WriteQueue(readOnly, { batchSize: 2 });
    const results = await Promise.allSettled(
      ["b", "c", "d"].map((text) =>
        queue.write(() => readOnly.prepare("INSERT INTO notes VALUES (?)").run(text)),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    readOnly.close();
    expect(stored()).toEqual([]);
  });
});
