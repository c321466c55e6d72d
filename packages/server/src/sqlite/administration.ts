import { statSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type CompiledQuery } from "kysely";
import { administrationMethods } from "../queries/administration-methods.ts";
import { type QueryRunner } from "../queries/query-runner.ts";
import { resultsReader } from "../queries/results.ts";
import { type ResultsReader, type StoreAdministration } from "../store.ts";
import { backup } from "./backup.ts";
import { openReader, type Connection } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { inspect } from "./inspect.ts";
import { type LogTruncation } from "./log-truncation.ts";
import { QueryConnection } from "./query-connection.ts";
import { type Reserve } from "./reserve.ts";
import { withStoreErrors } from "./sqlite-error.ts";

const rowsAtOnce = 1000;

/** Other work of the process has its turn between two parts. */
async function* rowsOf(
  connection: Connection,
  { sql, parameters }: CompiledQuery,
): AsyncGenerator<unknown[][]> {
  let rows: unknown[][] = [];
  for (const row of connection
    .prepare(sql)
    .raw()
    .iterate(...parameters)) {
    rows.push(row as unknown[]);
    if (rows.length < rowsAtOnce) continue;
    yield rows;
    rows = [];
    await nextTurn();
  }
  yield rows;
}

/** On a connection of its own, whose transaction keeps to one state while others write. */
async function readResults<T>(path: string, work: (reader: ResultsReader) => Promise<T>): Promise<T> {
  const connection = await withStoreErrors(() => openReader(path));
  const own = new QueryConnection(connection);
  try {
    connection.exec("BEGIN");
    return await work(
      resultsReader(
        (query) => own.read(query),
        (query) => rowsOf(connection, query),
      ),
    );
  } finally {
    connection.close();
  }
}

export function administration(
  path: string,
  connection: Connection,
  runner: QueryRunner,
  truncation: LogTruncation,
  reserve: Reserve,
): StoreAdministration {
  const methods = administrationMethods(runner, dialect);
  return {
    ...methods,
    /**
     * Takes what was forgotten off the disk too, once after the last of many short transactions; and when there was
     * nothing to forget, what a process that was killed, or held up by a reader, has left in the log.
     */
    async retain(rule) {
      const counts = await reserve.freeing(() => methods.retain(rule));
      const { responsesDeleted, dismissalsDeleted, textsRemoved, failedTextsRemoved } = counts;
      if (responsesDeleted + dismissalsDeleted + textsRemoved + failedTextsRemoved === 0)
        await truncation.run();
      return counts;
    },
    // On a full disk too: deleting what is old makes room.
    recordCleanUp: (at) => reserve.freeing(() => methods.recordCleanUp(at)),
    readResults: (work) => readResults(path, work),
    folders: { database: dirname(path) },
    // The file, which keeps its size when the log begins again: that is the room it takes on the disk.
    writeAheadLogBytes: async () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    inspect: (isIntegrityAsked) => withStoreErrors(() => inspect(connection, isIntegrityAsked ?? false)),
    isErasedTextHeld: () => truncation.isHeld,
    backup: (file, options) => backup(path, file, options),
  };
}
