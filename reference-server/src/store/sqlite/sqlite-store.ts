import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { answerToCompare } from "../queries/answer-to-compare.ts";
import { directoryMethods } from "../queries/directory-methods.ts";
import { type QueryRunner } from "../queries/query-runner.ts";
import { type SchemaChange } from "../schema-mismatch.ts";
import { diskFull, StoreUnavailable } from "../store-unavailable.ts";
import { erasingText, type EraseCounts, type FailureListener, type Store } from "../store.ts";
import { administration } from "./administration.ts";
import { AskFactsReader } from "./ask-facts.ts";
import { openConnection, type Connection } from "./connection.ts";
import { deservesThread, eraseInThread } from "./erasing-thread.ts";
import { runErasure, type Erasure } from "./erasure.ts";
import { openSnapshot } from "./export-snapshot.ts";
import { forgetExpiredTokens } from "./forget-expired-tokens.ts";
import { LogTruncation } from "./log-truncation.ts";
import { privateFile, type PrivateFile } from "./private-file.ts";
import { queueOf } from "./queue.ts";
import { QueryConnection } from "./query-connection.ts";
import { Reserve } from "./reserve.ts";
import { Spending } from "./spending.ts";
import { read } from "./sqlite-error.ts";
import { WriteQueue } from "./write-queue.ts";

const inMemory = ":memory:";

/** `:memory:` is a private temporary file: an export reads its snapshot on a second connection (decision D110). */
function placeOf(database: string): PrivateFile {
  return database === inMemory ? privateFile() : { path: database, remove: () => undefined };
}

/** A few answers, and the log that they are written to first. */
const leastFreeBytes = 512 * 1024;

/** @throws StoreUnavailable also when the disk has no room for an answer */
function assertAnswers(connection: Connection, path: string): void {
  connection.prepare("SELECT 1").get();
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < leastFreeBytes) throw new StoreUnavailable(diskFull);
}

const backupsNote = "Backups keep the erased bytes until they are recycled.";
const heldNote =
  "The erased text is still in the write-ahead log, because a backup or an export is reading it; it waits for a checkpoint, which " +
  "follows at most ten seconds after the end of that.";

const runnerOn = (own: QueryConnection, writes: WriteQueue): QueryRunner => ({
  read: (work) => own.read(work),
  write: (work) => writes.lend(() => own.transaction(work)),
});

/** A file, or `:memory:` for one that is gone when the store closes. */
export function openSqliteStore(database: string, change: SchemaChange): Store {
  const { path, remove } = placeOf(database);
  const connection = openConnection(path, change);
  const writes = new WriteQueue(connection);
  // Queries on it see nothing of another's transaction before its commit.
  const second = openConnection(path, "none");
  const administrative = new QueryConnection(second);
  const runner = runnerOn(administrative, writes);
  const spending = new Spending(connection);
  const askFacts = new AskFactsReader(connection);
  const queue = queueOf(connection);
  let onFailure: FailureListener = () => undefined;
  const truncation = new LogTruncation(connection, (error) => onFailure(erasingText, error));
  const reserve = Reserve.keptFor(database === inMemory ? undefined : path);
  let isClosed = false;

  const erasing = (erasure: Erasure): Promise<EraseCounts> =>
    reserve.freeing(async () => {
      const counts = await writes.lend(async () =>
        (await administrative.read((queries) => deservesThread(queries, erasure)))
          ? eraseInThread({ path, erasure })
          : administrative.transaction((queries) => runErasure(queries, erasure)),
      );
      await truncation.run();
      return counts;
    });

  return {
    ...directoryMethods(runner),
    askFacts: (projectId, query) => read(() => askFacts.read(projectId, query)),
    submit: (response) => writes.write(() => spending.submit(response)),
    dismiss: (dismissal) => writes.write(() => spending.dismiss(dismissal)),
    spentToken: (projectId, tokenId) => read(() => spending.spentToken(projectId, tokenId)),
    answerToCompare: (...token) => runner.write((queries) => answerToCompare(queries, ...token)),
    pendingScores: (page) => read(() => queue.page(page)),
    leaseScores: (page, lease) => writes.write(() => queue.lease(page, lease)),
    acknowledge: (projectId, results, at) => writes.write(() => queue.acknowledge(projectId, results, at)),
    temporaryFolder: dirname(path),
    openExport: (selection) => openSnapshot(path, selection),
    erase: (selection) => erasing({ selection }),
    purgeProject: (purge) => erasing({ purge }),
    onBackgroundFailure: (listener) => void (onFailure = listener),
    get erasedBytesNote() {
      return truncation.isHeld ? `${heldNote} ${backupsNote}` : backupsNote;
    },
    forgetExpiredTokens: (...expired) => runner.write((queries) => forgetExpiredTokens(queries, ...expired)),
    administration: administration(path, connection, runner, truncation, reserve),
    ping: () => read(() => assertAnswers(connection, path)),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      truncation.stop();
      await writes.drain();
      second.close();
      truncation.finish();
      connection.close();
      remove();
    },
  };
}
