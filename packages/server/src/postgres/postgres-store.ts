import { tmpdir } from "node:os";
import {
  type AskFacts,
  askFactsFromRows,
  type AskQuery,
  type AskRow,
  type EraseCounts,
  type RunCount,
  type SchemaChange,
} from "@afterword/reference-server/internal";
import { type OperatedStore } from "../store/administration.ts";
import { administration } from "./administration.ts";
import { ConnectionPool, longPatienceInMs, requestPatienceInMs } from "./connection-pool.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { directoryMethods } from "./directory.ts";
import * as erasure from "./erasure.ts";
import { openSnapshot } from "./export-snapshot.ts";
import { migrate } from "./migrations.ts";
import { openingError } from "./postgres-error.ts";
import { type Connection, prepared, storable } from "./connection.ts";
import { queueMethods } from "./queue.ts";
import { answerToCompare, dismiss, forgetExpiredTokens, readSpentTokens, submit } from "./spending.ts";

/** Connections beside those for requests, opened while they are needed. Exports must not keep an erasure from beginning. */
const longWork = { erasures: 3, exports: 5 };

// In one order, so that nodes that do this at the same time cannot lock each other out.
const addCounts = `
  INSERT INTO run_counts (project_id, survey_id, day, version, stratum, kind, reason, count)
  SELECT * FROM json_to_recordset($1::json) AS given (
    "projectId" text, "surveyId" text, day bigint, version text, stratum text, kind text, reason text, count bigint
  ) ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT ON CONSTRAINT run_counts_pkey DO UPDATE SET count = run_counts.count + excluded.count`;

async function addRunCounts(connection: Connection, counts: readonly RunCount[]): Promise<void> {
  await connection.query(addCounts, [JSON.stringify(counts, (_, value) => storable(value))]);
}

/** All answers in one round trip: this is asked at each bootstrap and mint. */
const askFacts = {
  name: "ask-facts",
  text: `
    SELECT 'project' AS kind, NULL AS "surveyId", epoch AS at, 0 AS more, 0 AS "isPermanent" FROM projects WHERE id = $1
    UNION ALL
    SELECT 'survey', survey_id, answered_at, dismissed_at, is_permanent FROM suppression
    WHERE project_id = $1 AND respondent_hash = $2
    UNION ALL
    SELECT 'ask', survey_id, at, times, 0 FROM (
      SELECT survey_id, at, times FROM asks WHERE project_id = $1 AND respondent_hash = $2 ORDER BY at DESC LIMIT $4
    ) AS newest
    UNION ALL
    SELECT 'run', survey_id, at, 0, 0 FROM runs WHERE project_id = $1 AND respondent_hash = $2 AND run_hash = $5
    UNION ALL
    SELECT 'count', survey_id, 0, responses, 0 FROM response_counts WHERE project_id = $1 AND survey_id = ANY ($3)`,
};

async function readAskFacts(
  connection: Connection,
  projectId: string,
  { respondentHash, runHash, mostAsks = 0, countedSurveyIds = [] }: AskQuery,
): Promise<AskFacts> {
  const values = [projectId, respondentHash ?? null, countedSurveyIds, mostAsks, runHash ?? null];
  const { rows } = await prepared<AskRow>(connection, { ...askFacts, values });
  return askFactsFromRows(rows);
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
  const requests = new ConnectionPool(settings, settings.poolSize, requestPatienceInMs);
  const long = new ConnectionPool(settings, longWork.erasures, longPatienceInMs);
  const exports = new ConnectionPool(settings, longWork.exports, longPatienceInMs);
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
