import { exportedColumns, exportedRow, type ExportRow } from "../shared-rows.ts";
import { type ExportedResponse, type ExportSelection, type ExportSnapshot } from "../store.ts";
import { openReader, type Connection } from "./connection.ts";
import { selectedRows } from "./selected-rows.ts";
import { storeError } from "./sqlite-error.ts";

/** Rows that are read and handed on at once. */
const pageSize = 500;

const conditionOf = ({ projectId, respondentIds, surveyIds }: ExportSelection) =>
  selectedRows(projectId, { respondent_id: respondentIds, survey_id: surveyIds });

/** All responses of a selection, page by page, in the order of their times. */
async function* pagesOf(connection: Connection, selection: ExportSelection) {
  const { where, values } = conditionOf(selection);
  // What people have answered is found by an index of another order. Without a limit SQLite would sort whole rows, in memory.
  const rows = selection.respondentIds
    ? `(SELECT sequence FROM responses WHERE ${where} ORDER BY +at, sequence LIMIT -1) CROSS JOIN responses USING (sequence)`
    : `responses WHERE ${where} ORDER BY at, sequence`;
  const statement = connection.prepare<unknown[], ExportRow>(`SELECT ${exportedColumns} FROM ${rows}`);
  let page: ExportedResponse[] = [];
  try {
    for (const row of statement.iterate(...values)) {
      if (page.push(exportedRow(row)) < pageSize) continue;
      yield page;
      page = [];
    }
  } catch (error) {
    throw storeError(error);
  }
  if (page.length > 0) yield page;
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
