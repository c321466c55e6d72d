import { type PoolClient } from "pg";
import { type ExportedResponse, type ExportSelection, type ExportSnapshot } from "../store.ts";
import { all, build, type Connection } from "./build.ts";
import { type ConnectionPool } from "./connection-pool.ts";
import { storeError } from "./postgres-error.ts";

const pageSize = 500;

/** Place of the last row of a page: rows come by survey, and within one in the order in which they were stored. */
interface Place {
  surveyId: string;
  sequence: number;
}

function selected({ projectId, respondentIds, surveyIds }: ExportSelection) {
  let query = build.selectFrom("responses").where("project_id", "=", projectId);
  if (respondentIds) query = query.where("respondent_id", "in", [...respondentIds]);
  if (surveyIds) query = query.where("survey_id", "in", [...surveyIds]);
  return query;
}

async function countOf(connection: Connection, selection: ExportSelection): Promise<number> {
  const query = selected(selection).select(({ fn }) => fn.countAll<number>().as("count"));
  const [row] = await all(connection, query);
  return row?.count ?? 0;
}

function pageAfter(connection: Connection, selection: ExportSelection, place: Place | undefined) {
  let query = selected(selection)
    .select(["sequence", "id", "survey_id", "survey_version", "respondent_id", "rating", "text"])
    .select(["follow_up_requested", "at", "source", "traits"])
    .orderBy("survey_id")
    .orderBy("sequence")
    .limit(pageSize);
  if (place) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("survey_id", "sequence"), ">", tuple(place.surveyId, place.sequence)),
    );
  }
  return all(connection, query);
}

type Row = Awaited<ReturnType<typeof pageAfter>>[number];

function exported(row: Row): ExportedResponse {
  return {
    id: row.id,
    surveyId: row.survey_id,
    surveyVersion: row.survey_version,
    respondentId: row.respondent_id ?? undefined,
    rating: row.rating,
    text: row.text,
    followUpRequested: row.follow_up_requested === null ? undefined : row.follow_up_requested === 1,
    at: row.at,
    source: row.source as ExportedResponse["source"],
    traits: row.traits,
  };
}

/** Opens a snapshot on a connection of its own: writers go on, and the rows stay as they were. */
export async function openSnapshot(
  pool: ConnectionPool,
  selection: ExportSelection,
): Promise<ExportSnapshot> {
  const connection = await pool.take();
  const close = closing(connection);
  try {
    await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const count = await countOf(connection, selection);
    return { count, pages: () => pagesOf(connection, selection), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw storeError(error);
  }
}

/** Ends the connection and with it the snapshot, also in the middle of a page that nobody reads any more. */
function closing(connection: PoolClient): () => Promise<void> {
  let isClosed = false;
  return async () => {
    if (isClosed) return;
    isClosed = true;
    connection.release(true);
  };
}

async function* pagesOf(
  connection: Connection,
  selection: ExportSelection,
): AsyncGenerator<ExportedResponse[]> {
  let place: Place | undefined;
  for (;;) {
    const rows = await pageAfter(connection, selection, place).catch((error: unknown) => {
      throw storeError(error);
    });
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(exported);
    if (rows.length < pageSize) return;
    place = { surveyId: last.survey_id, sequence: last.sequence };
  }
}
