import { statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { answerToCompare } from "../queries/answer-to-compare.ts";
import { directoryMethods } from "../queries/directory-methods.ts";
import { forgetExpiredTokens } from "../queries/forget-expired-tokens.ts";
import { type QueryRunner } from "../queries/query-runner.ts";
import { queueMethods } from "../queries/queue-methods.ts";
import { addRunCounts } from "../queries/run-counts.ts";
import { type SchemaChange } from "../schema-mismatch.ts";
import { diskFull, StoreUnavailable } from "../store-unavailable.ts";
import { erasingText, type EraseCounts, type FailureListener, type Store } from "../store.ts";
import { AskFactsReader } from "./ask-facts.ts";
import { openConnection, type Connection } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { eraseInThread, needsThread } from "./erasing-thread.ts";
import { runErasure, type Erasure } from "./erasure.ts";
import { openSnapshot } from "./export-snapshot.ts";
import { LogTruncation } from "./log-truncation.ts";
import { privateFile, type PrivateFile } from "./private-file.ts";
import { QueryConnection } from "./query-connection.ts";
import { Reserve } from "./reserve.ts";
import { Spending } from "./spending.ts";
import { withStoreErrors } from "./sqlite-error.ts";
import { watchPlace } from "./in-place.ts";
import { WriteQueue } from "./write-queue.ts";

const inMemory = ":memory:";

/** `:memory:` is a private temporary file: an export reads its snapshot on a second connection. */
function fileFor(database: string): PrivateFile {
  return database === inMemory ? privateFile() : { path: database, remove: () => undefined };
}

/** A few answers, and the log that they are written to first. */
const leastFreeBytes = 512 * 1024;

function isDiskFull(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize < leastFreeBytes;
}

/** @throws StoreUnavailable also when the disk has no room for an answer */
function assertAnswers(connection: Connection, path: string, check: () => void): void {
  check();
  connection.prepare("SELECT 1").get();
  if (!isDiskFull(path)) return;
  const cause = new Error(`No room for ${path} on the disk of ${dirname(resolve(path))}.`);
  throw new StoreUnavailable(diskFull, { cause });
}

const backupsNote = "Backups keep the erased bytes until they are recycled.";
const heldNote =
  "The erased text is still in the write-ahead log, because a backup or an export is reading it; it waits for a checkpoint, which " +
  "follows at most ten seconds after the end of that.";

/** Runs writes one after the other, which must not share a connection's transaction. */
class Turns {
  readonly #check: () => void;
  #last: Promise<unknown> = Promise.resolve();

  /** @param check throws before a write that would be lost */
  constructor(check: () => void) {
    this.#check = check;
  }

  take<T>(write: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() =>
      withStoreErrors(() => {
        this.#check();
        return write();
      }),
    );
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when nothing is waiting any more. */
  async drain(): Promise<void> {
    for (let last; last !== this.#last; await last) last = this.#last;
  }
}

const runnerOn = (own: QueryConnection, turns: Turns): QueryRunner => ({
  read: (work) => own.read(work),
  write: (work) => turns.take(() => own.transaction(work)),
});

/** An open database, and what statements of others on it need. */
export interface OpenSqlite {
  store: Store;
  path: string;
  connection: Connection;
  /** Reads and writes on a second connection, whose writes take turns with the store's own. */
  runner: QueryRunner;
  truncation: LogTruncation;
  reserve: Reserve;
}

/** A file, or `:memory:` for one that is gone when the store closes. */
export function openSqliteStore(database: string, change: SchemaChange): OpenSqlite {
  const { path, remove } = fileFor(database);
  const connection = openConnection(path, change);
  // For everything that takes long. Reads on the first connection see nothing of its transactions before their commit.
  const second = openConnection(path, "none");
  const administrative = new QueryConnection(second);
  const check = database === inMemory ? () => undefined : watchPlace(path);
  const writes = new WriteQueue(connection, { check });
  const turns = new Turns(check);
  const runner = runnerOn(administrative, turns);
  const spending = new Spending(connection, writes);
  const askFacts = new AskFactsReader(connection);
  let onFailure: FailureListener = () => undefined;
  const truncation = new LogTruncation(connection, (error) => onFailure(erasingText, error));
  const reserve = Reserve.keptFor(database === inMemory ? undefined : path);
  let isClosed = false;

  const erasing = (erasure: Erasure): Promise<EraseCounts> =>
    reserve.freeing(async () => {
      const counts = await turns.take(() =>
        needsThread(erasure)
          ? eraseInThread({ path, erasure })
          : administrative.transaction((queries) => runErasure(queries, erasure)),
      );
      await truncation.run();
      return counts;
    });

  const store: Store = {
    ...directoryMethods(runner),
    ...queueMethods(runner, dialect),
    askFacts: (projectId, query) => withStoreErrors(() => askFacts.read(projectId, query)),
    submit: spending.submit,
    dismiss: spending.dismiss,
    spentToken: (projectId, tokenId) => withStoreErrors(() => spending.spentToken(projectId, tokenId)),
    answerToCompare: (...token) => runner.write((queries) => answerToCompare(queries, ...token)),
    addRunCounts: (counts) => runner.write((queries) => addRunCounts(queries, counts)),
    temporaryFolder: dirname(path),
    openExport: (selection) => openSnapshot(path, selection),
    erase: (selection) => erasing({ selection }),
    purgeProject: (purge) => erasing({ purge }),
    withRoom: (run) => reserve.spending(isDiskFull(path), run),
    onBackgroundFailure: (listener) => void (onFailure = listener),
    get erasedBytesNote() {
      return truncation.isHeld ? `${heldNote} ${backupsNote}` : backupsNote;
    },
    forgetExpiredTokens: (...expired) =>
      runner.write((queries) => forgetExpiredTokens(queries, ...expired, dialect)),
    ping: () => withStoreErrors(() => assertAnswers(connection, path, check)),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      truncation.stop();
      await writes.drain();
      await turns.drain();
      second.close();
      truncation.finish();
      connection.close();
      remove();
    },
  };
  return { store, path, connection, runner, truncation, reserve };
}
