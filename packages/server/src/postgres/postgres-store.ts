import { tmpdir } from "node:os";
import { directoryMethods } from "./directory.ts";
import { queueMethods } from "./queue.ts";
import { type EraseCounts, type RunCount, type SchemaChange } from "@afterword/reference-server/internal";
import { type OperatedStore } from "../store/administration.ts";
import { administration } from "./administration.ts";
import { readAskFacts } from "./ask-facts.ts";
import { ConnectionPool, longPatience, requestPatience } from "./connection-pool.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import * as erasure from "./erasure.ts";
import { openSnapshot } from "./export-snapshot.ts";
import { migrate } from "./migrate.ts";
import { openingError } from "./postgres-error.ts";
import { execute, type Connection } from "./connection.ts";
import { answerToCompare, dismiss, forgetExpiredTokens, readSpentTokens, submit } from "./spending.ts";

/** Connections beside those for requests, opened while they are needed. Exports must not keep an erasure from beginning. */
const longWork = { erasures: 3, exports: 5 };

const countColumns = [
  "projectId",
  "surveyId",
  "day",
  "version",
  "stratum",
  "kind",
  "reason",
  "count",
] as const;

// In one order, so that nodes that do this at the same time cannot lock each other out.
const addCounts = `
  INSERT INTO run_counts (project_id, survey_id, day, version, stratum, kind, reason, count)
  SELECT * FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[]
  ) ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (project_id, survey_id, day, version, stratum, kind, reason)
  DO UPDATE SET count = run_counts.count + excluded.count`;

async function addRunCounts(connection: Connection, counts: readonly RunCount[]): Promise<void> {
  await execute(
    connection,
    addCounts,
    countColumns.map((column) => counts.map((count) => count[column])),
  );
}

/** Erases on one of these connections, and then takes the text off the storage. */
function erasingOn(long: ConnectionPool, onFailure: (error: unknown) => void) {
  return async (work: (connection: Connection) => Promise<EraseCounts>): Promise<EraseCounts> => {
    const counts = await long.transaction(work);
    // The erasure is committed and cannot fail any more; the database's own vacuum comes later.
    await long.use(erasure.removeErasedText).catch(onFailure);
    return counts;
  };
}

/**
 * A PostgreSQL database, which any number of servers share.
 *
 * @param url `postgres://user:password@host:port/database`, with `pool_size` and `durability` beside the parameters of
 * the driver
 * @param change what may be done to its schema
 * @throws Error when the database cannot be used, with what to do about it
 */
export async function openPostgresStore(url: string, change: SchemaChange): Promise<OperatedStore> {
  const settings = parseDatabaseUrl(url);
  const requests = new ConnectionPool(settings, settings.poolSize, requestPatience);
  const long = new ConnectionPool(settings, longWork.erasures, longPatience);
  const exports = new ConnectionPool(settings, longWork.exports, longPatience);
  const pools = { requests, long, exports };
  const read = <T>(work: (connection: Connection) => Promise<T>) => requests.repeatable(work);
  let onFailure: (error: unknown) => void = () => undefined;
  const erasing = erasingOn(long, (error) => onFailure(error));
  let closing: Promise<unknown> | undefined;
  const close = async () => {
    closing ??= Promise.all(Object.values(pools).map((pool) => pool.close()));
    await closing;
  };

  try {
    await long.transaction((connection) => migrate(connection, change));
  } catch (error) {
    await close();
    throw openingError(error, settings);
  }
  return {
    ...directoryMethods(requests.runner),
    ...queueMethods(requests),
    askFacts: (projectId, query) => read((connection) => readAskFacts(connection, projectId, query)),
    submit: (response) => submit(requests, response),
    dismiss: (dismissal) => dismiss(requests, dismissal),
    spentTokens: (...tokens) => read((connection) => readSpentTokens(connection, ...tokens)),
    answerToCompare: (...token) => answerToCompare(requests, ...token),
    addRunCounts: (counts) => requests.transaction((connection) => addRunCounts(connection, counts)),
    temporaryFolder: tmpdir(),
    openExport: (selection) => openSnapshot(exports, selection),
    erase: (erased) => erasing((connection) => erasure.erase(connection, erased)),
    erasedBytesNote: erasure.erasedBytesNote,
    forgetExpiredTokens: (...expired) =>
      long.use((connection) => forgetExpiredTokens(connection, ...expired)),
    administration: administration(long, pools, (listener) => void (onFailure = listener)),
    ping: () => read(async (connection) => void (await connection.query("SELECT 1"))),
    close,
  };
}
