import { type ExportedResponse, type ExportSelection, type ExportSnapshot } from "../store.ts";
import { all, build } from "./build.ts";
import { openReader, type Connection } from "./connection.ts";

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

function countOf(connection: Connection, selection: ExportSelection): number {
  const query = selected(selection).select(({ fn }) => fn.countAll<number>().as("count"));
  return all(connection, query)[0]?.count ?? 0;
}

/** Rows of the survey at `place` behind it, or of the surveys that follow. */
function pageAt(
  connection: Connection,
  selection: ExportSelection,
  place: Place,
  where: "within" | "behind",
) {
  // Two plain conditions: of a comparison of pairs SQLite takes only the first half to the index, and would read
  // every row of a large survey again for each page.
  const query = selected(selection)
    .select(["sequence", "id", "survey_id", "survey_version", "respondent_id", "rating", "text"])
    .select(["follow_up_requested", "at", "source", "traits"])
    .orderBy("survey_id")
    .orderBy("sequence")
    .limit(pageSize);
  const { surveyId, sequence } = place;
  return all(
    connection,
    where === "within"
      ? query.where("survey_id", "=", surveyId).where("sequence", ">", sequence)
      : query.where("survey_id", ">", surveyId),
  );
}

type Row = ReturnType<typeof pageAt>[number];

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

/** Opens a read transaction on a connection of its own: writers go on, and the rows stay as they were. */
export function openSnapshot(path: string, selection: ExportSelection): ExportSnapshot {
  const connection = openReader(path);
  try {
    connection.exec("BEGIN");
    const count = countOf(connection, selection);
    const close = async () => void connection.close();
    return { count, pages: () => pagesOf(connection, selection), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function* pagesOf(
  connection: Connection,
  selection: ExportSelection,
): AsyncGenerator<ExportedResponse[]> {
  let place: Place = { surveyId: "", sequence: 0 };
  let where: "within" | "behind" = "behind";
  for (;;) {
    const rows: Row[] = pageAt(connection, selection, place, where);
    const last = rows.at(-1);
    if (last) {
      yield rows.map(exported);
      place = { surveyId: last.survey_id, sequence: last.sequence };
      where = "within";
    } else if (where === "within") where = "behind";
    else return;
  }
}
