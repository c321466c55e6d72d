import { exportedColumns, exportedRow, type ExportRow } from "../shared-rows.ts";
import { type ExportedResponse, type ExportSelection, type ExportSnapshot } from "../store.ts";
import { openReader, type Connection } from "./connection.ts";
import { selectedRows } from "./selected-rows.ts";
import { storeError } from "./sqlite-error.ts";

/** Rows that are read and handed on at once. */
const pageSize = 500;

/** All responses of a selection, page by page, in the order of their times. */
function* rowsOf(connection: Connection, selection: ExportSelection): Generator<ExportedResponse[]> {
  const { where, values } = conditionOf(selection);
  // The sign keeps SQLite off the index that has this order but leads through all responses.
  const time = selection.respondentIds ? "+at" : "at";
  const statement = (condition: string) =>
    connection.prepare<unknown[], ExportRow>(`
      SELECT ${exportedColumns}
      FROM responses WHERE ${where} AND ${condition} ORDER BY ${time}, sequence LIMIT ?`);
  // In two statements, since SQLite compares a pair with one column of the index only, and imports share their times.
  const atOnce = statement(`${time} = ? AND sequence > ?`);
  const later = statement(`${time} > ?`);
  let [at, sequence] = [-1, 0];
  let rows: ExportRow[];
  do {
    rows = atOnce.all(...values, at, sequence, pageSize);
    if (rows.length < pageSize) rows.push(...later.all(...values, at, pageSize - rows.length));
    ({ at, sequence } = rows.at(-1) ?? { at, sequence });
    if (rows.length > 0) yield rows.map(exportedRow);
  } while (rows.length === pageSize);
}

const conditionOf = ({ projectId, respondentIds, surveyIds }: ExportSelection) =>
  selectedRows(projectId, { respondent_id: respondentIds, survey_id: surveyIds });

async function* pagesOf(connection: Connection, selection: ExportSelection) {
  try {
    yield* rowsOf(connection, selection);
  } catch (error) {
    throw storeError(error);
  }
}

/** Opens a read transaction on a connection of its own: writers go on, and the rows stay as they were. */
export async function openSnapshot(path: string, selection: ExportSelection): Promise<ExportSnapshot> {
  const connection = openReader(path);
  try {
    connection.exec("BEGIN");
    const { where, values } = conditionOf(selection);
    const counting = connection.prepare<unknown[], number>(`SELECT count(*) FROM responses WHERE ${where}`);
    const count = counting.pluck().get(...values)!;
    const close = async () => void connection.close();
    return { count, pages: () => pagesOf(connection, selection), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    connection.close();
    throw storeError(error);
  }
}
