import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.ts";
import { type Store } from "../store.ts";

let folder: string;
let path: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "afterword-place-"));
  mkdirSync(join(folder, "data"));
  path = join(folder, "data/a.db");
  store = await openStore(path);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const replace = (file: string) => {
  copyFileSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
};

const losses: [string, () => void][] = [
  ["the database is removed", () => rmSync(path)],
  ["the database is replaced by a copy", () => replace(path)],
  ["the database is moved", () => renameSync(path, `${path}.old`)],
  ["the write-ahead log is removed", () => rmSync(`${path}-wal`)],
  ["the write-ahead log is replaced", () => replace(`${path}-wal`)],
  ["the shared memory is removed", () => rmSync(`${path}-shm`)],
  ["the folder is moved", () => renameSync(dirname(path), join(folder, "elsewhere"))],
  ["the folder is removed", () => rmSync(dirname(path), { recursive: true })],
];

const writes: [string, () => Promise<unknown>][] = [
  ["ping", () => store.ping()],
  ["submit", () => store.submit({ token: { projectId: "p", epoch: 1, tokenId: Buffer.from("t") } } as never)],
  ["changeDirectory", () => store.changeDirectory(() => ({ masterKeys: [] }))],
  ["erase", () => store.erase({ projectId: "p", surveyIds: ["s"] })],
];

describe("an open database", () => {
  it.each(losses)("refuses all writes and pings with the file's name once %s", async (_, lose) => {
    await store.ping();
    await store.changeDirectory(() => ({ masterKeys: [] }));
    lose();
    for (const [name, write] of writes) {
      const refused = await write().catch((error: Error) => error);
      expect([name, (refused as Error).message]).toEqual([
        name,
        expect.stringContaining(`the file ${path},`),
      ]);
      expect(refused).toMatchObject({ name: "StoreUnavailable" });
    }
  });

  it("answers again once the same file is back", async () => {
    renameSync(path, `${path}.old`);
    await expect(store.ping()).rejects.toThrow("was moved, replaced or removed");
    renameSync(`${path}.old`, path);
    await store.ping();
    await store.changeDirectory(() => ({ masterKeys: [] }));
  });

  it("notices that a link leads elsewhere", async () => {
    const link = join(folder, "link.db");
    symlinkSync(path, link);
    const linked = await openStore(link);
    await linked.ping();
    rmSync(link);
    symlinkSync(join(folder, "other.db"), link);
    await expect(linked.ping()).rejects.toThrow(link);
    await linked.close();
  });

  it("goes on beside commands, which open and close it, and while its log is truncated", async () => {
    for (let times = 0; times < 3; times++) {
      const other = await openStore(path, "none");
      await other.changeDirectory(() => ({ masterKeys: [{ id: `${times}`, since: 0 }] }));
      await other.close();
      await store.erase({ projectId: "p", surveyIds: ["s"] });
      await expect(store.ping()).resolves.toBeUndefined();
    }
  });
});
