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

/** Statements that reach the database while `run` does. */
async function statementsOf(run: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const exec = connection.exec.bind(connection);
  connection.exec = (sql: string) => {
    statements.push(sql);
    return exec(sql);
  };
  await run();
  return statements;
}

describe("group commit", () => {
  it("puts all that is asked for in one turn into one transaction", async () => {
    const queue = new WriteQueue(connection);
    const statements = await statementsOf(() =>
      Promise.all(["a", "b", "c"].map((text) => queue.write(add(text)))),
    );
    expect(statements).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
    expect(stored()).toEqual(["a", "b", "c"]);
  });

  it("answers nobody before the commit: another connection sees what was answered", async () => {
    const queue = new WriteQueue(connection);
    const other = new Database(path, { readonly: true });
    await queue.write(add("a"));
    expect(other.prepare("SELECT count(*) FROM notes").pluck().get()).toBe(1);
    other.close();
  });

  it("gives each write its own result", async () => {
    const queue = new WriteQueue(connection);
    expect(await Promise.all([queue.write(() => 1), queue.write(() => "two")])).toEqual([1, "two"]);
  });

  it("one write that fails takes no other with it", async () => {
    const queue = new WriteQueue(connection);
    const results = await Promise.allSettled(["a", "a", "b"].map((text) => queue.write(add(text))));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(stored()).toEqual(["a", "b"]);
  });

  it("bounds the size of a transaction and keeps the order", async () => {
    const queue = new WriteQueue(connection, { batchSize: 2 });
    const texts = ["a", "b", "c", "d", "e"];
    const statements = await statementsOf(() => Promise.all(texts.map((text) => queue.write(add(text)))));
    expect(statements.filter((sql) => sql === "COMMIT")).toHaveLength(3);
    expect(stored()).toEqual(texts);
  });

  it("refuses at once what is more than can wait, and takes the rest", async () => {
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

  it("drains what waits before it is closed", async () => {
    const queue = new WriteQueue(connection, { batchSize: 1 });
    const writing = Promise.all(["a", "b", "c"].map((text) => queue.write(add(text))));
    await queue.drain();
    expect(stored()).toEqual(["a", "b", "c"]);
    await writing;
  });
});

describe("lent to another connection", () => {
  /** A loan that lasts until it is ended. */
  function loan(queue: WriteQueue) {
    let giveBack!: () => void;
    let fail!: (error: unknown) => void;
    const state = { isBegun: false };
    const ended = queue.lend(() => {
      state.isBegun = true;
      return new Promise<void>((resolve, reject) => ([giveBack, fail] = [resolve, reject]));
    });
    return { ended, state, giveBack: () => giveBack(), fail: (error: unknown) => fail(error) };
  }

  it("has writes wait, and stores each once when it is given back", async () => {
    const queue = new WriteQueue(connection);
    const { ended, giveBack } = loan(queue);
    const writing = Promise.all(["a", "b"].map((text) => queue.write(add(text))));
    await new Promise((resolve) => setImmediate(resolve));
    expect(stored()).toEqual([]);
    giveBack();
    await Promise.all([ended, writing]);
    expect(stored()).toEqual(["a", "b"]);
  });

  it("refuses a write that has waited too long, and never stores it afterwards", async () => {
    let now = 0;
    const queue = new WriteQueue(connection, { stopwatch: () => now });
    const { ended, giveBack } = loan(queue);
    const tooLong = queue.write(add("a"));
    now = 5000;
    const inTime = queue.write(add("b"));
    await expect(tooLong).rejects.toBeInstanceOf(StoreUnavailable);
    giveBack();
    await Promise.all([ended, inTime]);
    expect(stored()).toEqual(["b"]);
  });

  it("stores between two loans what has waited for the first", async () => {
    const queue = new WriteQueue(connection);
    const [first, second, third] = [loan(queue), loan(queue), loan(queue)];
    const writing = queue.write(add("a")).then(() => second.state.isBegun || third.state.isBegun);
    first.giveBack();
    expect(await writing).toBe(false);
    await first.ended;
    const drained = queue.drain();
    while (!second.state.isBegun) await new Promise((resolve) => setImmediate(resolve));
    expect(third.state.isBegun).toBe(false);
    second.giveBack();
    await second.ended;
    third.giveBack();
    await Promise.all([third.ended, drained]);
  });

  it("lends to one after the other, though one fails, and drains them all", async () => {
    const queue = new WriteQueue(connection);
    const [first, second] = [loan(queue), loan(queue)];
    expect([first.state.isBegun, second.state.isBegun]).toEqual([true, false]);
    const drained = queue.drain();
    const failing = expect(first.ended).rejects.toThrow("gone");
    first.fail(new Error("gone"));
    await failing;
    expect(second.state.isBegun).toBe(true);
    second.giveBack();
    await Promise.all([second.ended, drained]);
  });
});
