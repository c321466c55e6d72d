import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Connection, openConnection } from "@afterword/reference-server/internal";
import { openStore } from "../postgres/open-store.ts";
import { type OperatedStore } from "../store/administration.ts";

const mebibyte = 1024 * 1024;

describe("a backup", () => {
  let folder: string;
  let database: string;
  let copy: string;
  let store: OperatedStore;
  let writer: Connection;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "afterword-backup-"));
    database = join(folder, "a.db");
    copy = join(folder, "copy.db");
    store = await openStore(database);
    writer = openConnection(database);
    writer.exec(`
      CREATE TABLE ballast (content TEXT);
      INSERT INTO ballast WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
        SELECT hex(zeroblob(1000000)) FROM n;
      UPDATE directory SET version = 0`);
    writer.pragma("wal_checkpoint(TRUNCATE)");
  });
  afterEach(async () => {
    writer.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const backup = (onProgress: (copied: number, total: number) => void, mostLogBytes = 1024 * mebibyte) =>
    store.administration.backup!(copy, { onProgress, mostLogBytes });
  const versionIn = (path: string) => {
    const connection = new Database(path);
    const version = connection.prepare("SELECT version FROM directory").pluck().get();
    connection.close();
    return version;
  };

  it("ends while others commit between its steps, and is the state in which it began", async () => {
    let commits = 0;
    await backup((copied, total) => {
      writer.exec("UPDATE directory SET version = version + 1");
      commits++;
      if (commits > (2 * total) / 1000)
        throw new Error(`No end after ${commits} steps: ${copied} of ${total}.`);
    });
    expect(commits).toBeGreaterThan(4);
    expect([versionIn(database), versionIn(copy)]).toEqual([commits, 0]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  it("fails when the write-ahead log reaches its limit meanwhile, and leaves nothing behind", async () => {
    const growing = backup(() => {
      writer.exec("INSERT INTO ballast VALUES (hex(zeroblob(1000000)))");
    }, 4 * mebibyte);
    await expect(growing).rejects.toThrow(/a\.db-wal reached [45] MiB, the limit of --max-wal/);
    expect([copy, `${copy}.unfinished`].filter(existsSync)).toEqual([]);
  });

  it("is checked before it gets its name", async () => {
    const file = openSync(database, "r+");
    writeSync(file, Buffer.alloc(4096), 0, 4096, 4096 * 2000);
    closeSync(file);
    await expect(backup(() => undefined)).rejects.toThrow(/The copy .*copy\.db\.unfinished is damaged/);
    expect(existsSync(copy)).toBe(false);
  });

  it("makes an erasure meanwhile say that its text waits for a checkpoint", async () => {
    const rated = {
      id: "0",
      at: 0,
      projectId: "p",
      surveyId: "s",
      surveyVersion: 1,
      respondentId: "r",
      rating: 1,
    };
    await store.administration.importResponses([rated]);
    let erasure: Promise<unknown> | undefined;
    const notes: string[] = [];
    await backup(() => {
      erasure ??= store.erase({ projectId: "p", respondents: [{ id: "r", hash: new Uint8Array(16) }] });
      notes.push(store.erasedBytesNote);
    });
    expect(notes.at(-1)).toContain("The erased text is still in the write-ahead log");
    await erasure;
    const withoutLog = "Backups keep the erased bytes until they are recycled.";
    // The copy may have taken longer than an erasure waits.
    await expect.poll(() => store.erasedBytesNote, { timeout: 15_000 }).toBe(withoutLog);
  });
});
