import { sql } from "kysely";
import { type ExportedResponse, type ExportSelection } from "@afterword/reference-server/internal";
import { type Queries, type QueryRunner } from "@afterword/results/store";
import { type SqlDialect } from "../store/sql-dialect.ts";

/** Rows that are read and handed on at once. */
const pageSize = 500;

function selected(
  queries: Queries,
  { projectId, respondentIds, surveyIds }: ExportSelection,
  { isRespondent }: SqlDialect,
) {
  let query = queries.selectFrom("responses").where("projectId", "=", projectId);
  if (respondentIds) query = query.where(isRespondent(respondentIds));
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  return query;
}

export async function exportCount(
  queries: Queries,
  selection: ExportSelection,
  dialect: SqlDialect,
): Promise<number> {
  const count = selected(queries, selection, dialect).select(({ fn }) => fn.countAll<number>().as("count"));
  return (await count.executeTakeFirstOrThrow()).count;
}

/** A response's position in the order of an export. */
interface Position {
  at: number;
  sequence: number;
}

interface ExportPage {
  responses: ExportedResponse[];
  /** The position that the next page comes after; absent on the last page. */
  next?: Position;
}

/** The next responses of a selection, in the order of their times. */
async function exportPage(
  queries: Queries,
  selection: ExportSelection,
  after: Position,
  dialect: SqlDialect,
): Promise<ExportPage> {
  // The sum keeps the database off the index that has this order but leads through all responses.
  const time = selection.respondentIds ? sql<number>`(at + 0)` : sql<number>`at`;
  const page = selected(queries, selection, dialect)
    .select(["sequence", "id", "surveyId", "surveyVersion", "respondentId", "rating", "text"])
    .select(["sessionId", "observationId", "taskType"])
    .select(["followUpRequested", "at", "source", "traits", "run"])
    .orderBy(time)
    .orderBy("sequence");
  // In two statements, since SQLite compares a pair with one column of the index only, and imports share their times.
  const atOnce = page.where(time, "=", after.at).where("sequence", ">", after.sequence);
  const rows = await atOnce.limit(pageSize).execute();
  const later = page.where(time, ">", after.at).limit(pageSize - rows.length);
  if (rows.length < pageSize) rows.push(...(await later.execute()));
  const last = rows.at(-1);
  const responses = rows.map(({ sequence: _, respondentId, followUpRequested, ...row }) => ({
    ...row,
    respondentId: respondentId ?? undefined,
    followUpRequested: followUpRequested === null ? undefined : followUpRequested === 1,
  }));
  return { responses, next: last && rows.length === pageSize ? last : undefined };
}

/** All responses of a selection, page by page, in the order of their times. */
export async function* exportedPages(
  read: QueryRunner["read"],
  selection: ExportSelection,
  dialect: SqlDialect,
): AsyncGenerator<ExportedResponse[]> {
  let after: Position | undefined = { at: -1, sequence: 0 };
  while (after !== undefined) {
    const position: Position = after;
    const page = await read((queries) => exportPage(queries, selection, position, dialect));
    if (page.responses.length > 0) yield page.responses;
    after = page.next;
  }
}
