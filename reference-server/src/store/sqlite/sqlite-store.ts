import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { answerToCompare } from "../queries/answer-to-compare.ts";
import { directoryMethods } from "../queries/directory-methods.ts";
import { type WorkRunner } from "../queries/work.ts";
import { type SchemaChange } from "../schema-mismatch.ts";
import { UnusableDatabase } from "../unusable-database.ts";
import { diskFull, StoreUnavailable } from "../store-unavailable.ts";
import {
  erasingText,
  type EraseCounts,
  type FailureListener,
  type NewResponse,
  type Store,
} from "../store.ts";
import { administration } from "./administration.ts";
import { AskFactsReader } from "./ask-facts.ts";
import { openConnection, type Connection } from "./connection.ts";
import { deservesThread, eraseInThread } from "./erasing-thread.ts";
import { erasureWork, type Erasure } from "./erasure.ts";
import { openSnapshot } from "./export-snapshot.ts";
import { LogTruncation } from "./log-truncation.ts";
import { privateFile, type PrivateFile } from "./private-file.ts";
import { queueOf } from "./queue.ts";
import { Reserve } from "./reserve.ts";
import { runWork } from "./run-work.ts";
import { Spending } from "./spending.ts";
import { read } from "./sqlite-error.ts";
import { WriteQueue } from "./write-queue.ts";

const inMemory = ":memory:";

/** `:memory:` is a private temporary file: an export reads its snapshot on a second connection (decision D110). */
function placeOf(database: string): PrivateFile {
  if (database === inMemory) return privateFile();
  if (!existsSync(dirname(database)))
    throw new UnusableDatabase(`The folder of the database ${database} does not exist.`);
  return { path: database, remove: () => undefined };
}

/** A few answers, and the log that they are written to first. */
const leastFreeBytes = 512 * 1024;

/** @throws StoreUnavailable also when the disk has no room for an answer */
function assertAnswers(connection: Connection, path: string): void {
  connection.prepare("SELECT 1").get();
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < leastFreeBytes) throw new StoreUnavailable(diskFull);
}

/** A file, or `:memory:` for one that is gone when the store closes. */
export function openSqliteStore(database: string, change: SchemaChange): Store {
  const { path, remove } = placeOf(database);
  const connection = openConnection(path, change);
  const writes = new WriteQueue(connection);
  const runner: WorkRunner = {
    read: (work) => read(() => runWork(connection, work())),
    write: (work) => writes.write(() => runWork(connection, work())),
  };
  const spending = new Spending(connection);
  const askFacts = new AskFactsReader(connection);
  const queue = queueOf(connection);
  const submitTogether = (responses: readonly NewResponse[]) => spending.submit(responses);
  let onFailure: FailureListener = () => undefined;
  const truncation = new LogTruncation(connection, (error) => onFailure(erasingText, error));
  const reserve = Reserve.keptFor(database === inMemory ? undefined : path);
  let isClosed = false;

  const erasing = (erasure: Erasure): Promise<EraseCounts> =>
    reserve.freeing(async () => {
      const counts = await read(() =>
        runWork(connection, deservesThread(erasure))
          ? writes.lend(() => eraseInThread({ path, erasure }))
          : runner.write(() => erasureWork(erasure)),
      );
      await truncation.run();
      return counts;
    });

  return {
    ...directoryMethods(runner),
    askFacts: (projectId, query) => read(() => askFacts.read(projectId, query)),
    submit: (response) => writes.join(submitTogether, response),
    dismiss: (dismissal) => writes.write(() => spending.dismiss(dismissal)),
    spentToken: (projectId, tokenId) => read(() => spending.spentToken(projectId, tokenId)),
    answerToCompare: (...token) => runner.write(() => answerToCompare(...token)),
    pendingScores: (page) => read(() => queue.page(page)),
    leaseScores: (page, lease) => writes.write(() => queue.lease(page, lease)),
    acknowledge: (projectId, results, at) => writes.write(() => queue.acknowledge(projectId, results, at)),
    temporaryFolder: dirname(path),
    openExport: (selection) => read(() => openSnapshot(path, selection)),
    erase: (selection) => erasing({ selection }),
    purgeProject: (purge) => erasing({ purge }),
    onBackgroundFailure: (listener) => void (onFailure = listener),
    erasedBytesNote:
      "Backups keep the erased bytes until they are recycled, and the write-ahead log does while an earlier read goes on.",
    forgetExpiredTokens: (expired, limit) => writes.write(() => spending.forgetExpired(expired, limit)),
    administration: administration(path, connection, runner, truncation, reserve),
    ping: () => read(() => assertAnswers(connection, path)),
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
}
