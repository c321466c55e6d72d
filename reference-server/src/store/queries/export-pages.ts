import { sql } from "kysely";
import { type ExportedResponse, type ExportSelection } from "../store.ts";
import { type Dialect, build, rowsOf, type Work } from "./work.ts";

/** Rows that are read and handed on at once. */
const pageSize = 500;

function selected({ projectId, respondentIds, surveyIds }: ExportSelection, { isRespondent }: Dialect) {
  let query = build.selectFrom("responses").where("projectId", "=", projectId);
  if (respondentIds) query = query.where(isRespondent(respondentIds));
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  return query;
}

export function* exportCount(selection: ExportSelection, dialect: Dialect): Work<number> {
  const count = selected(selection, dialect).select(({ fn }) => fn.countAll<number>().as("count"));
  return (yield* rowsOf(count))[0]!.count;
}

interface ExportPage {
  responses: ExportedResponse[];
  /** Sequence number that the next page comes after; absent on the last page. */
  next?: number;
}

/** The next responses of a selection, in the order in which they were stored. */
function* exportPage(selection: ExportSelection, after: number, dialect: Dialect): Work<ExportPage> {
  // The sum keeps the database off the index that has this order but leads through all responses.
  const order = selection.respondentIds ? sql<number>`sequence + 0` : sql<number>`sequence`;
  const rows = yield* rowsOf(
    selected(selection, dialect)
      .select(["sequence", "id", "surveyId", "surveyVersion", "respondentId", "rating", "text"])
      .select(["followUpRequested", "at", "source", "traits"])
      .where(order, ">", after)
      .orderBy(order)
      .limit(pageSize),
  );
  const responses = rows.map(({ sequence: _, respondentId, followUpRequested, ...row }) => ({
    ...row,
    respondentId: respondentId ?? undefined,
    followUpRequested: followUpRequested === null ? undefined : followUpRequested === 1,
  }));
  return { responses, next: rows.length < pageSize ? undefined : rows.at(-1)!.sequence };
}

/** All responses of a selection, page by page, in the order in which they were stored. */
export async function* exportedPages(
  run: (page: Work<ExportPage>) => ExportPage | Promise<ExportPage>,
  selection: ExportSelection,
  dialect: Dialect,
): AsyncGenerator<ExportedResponse[]> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: ExportPage = await run(exportPage(selection, after, dialect));
    if (page.responses.length > 0) yield page.responses;
    after = page.next;
  }
}
