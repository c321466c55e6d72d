import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type SchemaChange } from "../store-errors.ts";
import { type RunCount, type Store } from "../store.ts";
import { askFactsMethod } from "./ask-facts.ts";
import { type Access, openConnection, type Connection } from "./connection.ts";
import { directoryMethods } from "./directory.ts";
import { erase } from "./erasure.ts";
import { openSnapshot } from "./exporting.ts";
import { watchPlace } from "./in-place.ts";
import { LogTruncation } from "./log-truncation.ts";
import { queueMethods } from "./queue.ts";
import { ledgerMethods } from "./token-ledger.ts";
import { withStoreErrors } from "./sqlite-error.ts";
import { WriteQueue } from "./write-queue.ts";

const inMemory = ":memory:";

/** `:memory:` is a file in a temporary folder of its own: an export reads its snapshot on a second connection. */
function fileFor(database: string): { path: string; remove: () => void } {
  if (database !== inMemory) return { path: database, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "afterword-memory-"));
  return {
    path: join(folder, "afterword.db"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const backupsNote = "Backups keep the erased bytes until they are recycled.";
const heldNote =
  "The erased text is still in the write-ahead log, because a backup or an export is reading it; it waits for a checkpoint, which " +
  "follows at most ten seconds after the end of that.";

function addRunCounts(connection: Connection, counts: readonly RunCount[]): void {
  const add = connection.prepare(`
    INSERT INTO run_counts (project_id, survey_id, day, version, stratum, kind, reason, count)
    VALUES (@projectId, @surveyId, @day, @version, @stratum, @kind, @reason, @count)
    ON CONFLICT DO UPDATE SET count = count + excluded.count`);
  for (const one of counts) add.run(one);
}

/** An open database, and what statements of others on it need. */
export interface OpenSqlite {
  store: Store;
  path: string;
  connection: Connection;
  /** Throws before a write that would be lost. */
  check: () => void;
  truncation: LogTruncation;
}

/** A file, or `:memory:` for one that is gone when the store closes. */
export function openSqliteStore(database: string, change: SchemaChange): OpenSqlite {
  const { path, remove } = fileFor(database);
  const connection = openConnection(path, change);
  // The first read makes the files beside the database.
  connection.pragma("schema_version");
  const check = database === inMemory ? () => undefined : watchPlace(path);
  const writes = new WriteQueue(connection, check);
  const access: Access = { connection, read: withStoreErrors, write: (run) => writes.write(run) };
  const truncation = new LogTruncation(connection);
  let isClosed = false;
  const store: Store = {
    ...directoryMethods(access),
    ...queueMethods(access),
    ...ledgerMethods(access),
    askFacts: askFactsMethod(access),
    addRunCounts: (counts) => access.write(() => addRunCounts(connection, counts)),
    temporaryFolder: dirname(path),
    openExport: (selection) => openSnapshot(path, selection),
    erase: async (erased) => {
      const counts = await access.write(() => erase(connection, erased));
      await truncation.run();
      return counts;
    },
    get erasedBytesNote() {
      return truncation.isHeld ? `${heldNote} ${backupsNote}` : backupsNote;
    },
    ping: () =>
      access.read(() => {
        check();
        connection.exec("SELECT 1");
      }),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      truncation.stop();
      await writes.drain();
      truncation.finish();
      connection.close();
      remove();
    },
  };
  return { store, path, connection, check, truncation };
}
