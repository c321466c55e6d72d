import { type PoolClient } from "pg";
import {
  exportedColumns,
  exportedRow,
  type ExportRow,
  type ExportSelection,
  type ExportSnapshot,
} from "@afterword/reference-server/internal";
import { type ConnectionPool } from "./connection-pool.ts";
import { execute } from "./connection.ts";
import { storeError } from "./postgres-error.ts";
import { isRespondent, respondentParameters } from "./respondent-index.ts";

/** Rows that are read and handed on at once. */
const pageSize = 500;

const selected = `
  FROM responses WHERE project_id = $1 AND ${isRespondent(2)} AND ($4::text[] IS NULL OR survey_id = ANY ($4))`;

const valuesOf = ({ projectId, respondentIds, surveyIds }: ExportSelection) => [
  projectId,
  ...respondentParameters(respondentIds),
  surveyIds ?? null,
];

/** The next responses in the order of their times. */
const pageOf = ({ respondentIds }: ExportSelection) => {
  // The sum keeps the database off the index that has this order but leads through all responses.
  const time = respondentIds ? "(at + 0)" : "at";
  return `
    SELECT ${exportedColumns} ${selected}
      AND (${time}, sequence) > ($5, $6) ORDER BY ${time}, sequence LIMIT ${pageSize}`;
};

/** All responses of a selection, page by page. */
async function* pagesOf(connection: PoolClient, selection: ExportSelection) {
  const [statement, values] = [pageOf(selection), valuesOf(selection)];
  let position = { at: -1, sequence: 0 };
  let rows: ExportRow[];
  do {
    const after = [...values, position.at, position.sequence];
    ({ rows } = await execute<ExportRow>(connection, statement, after).catch((error: unknown) => {
      throw storeError(error);
    }));
    position = rows.at(-1) ?? position;
    if (rows.length > 0) yield rows.map(exportedRow);
  } while (rows.length === pageSize);
}

/** Opens a snapshot on its own connection, so writers continue and the rows stay the same. */
export async function openSnapshot(
  pool: ConnectionPool,
  selection: ExportSelection,
): Promise<ExportSnapshot> {
  const connection = await pool.take();
  let isOpen = true;
  // With the connection the snapshot ends, also in the middle of a page.
  const close = async () => {
    if (isOpen) connection.release(true);
    isOpen = false;
  };
  try {
    await pool.begin(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const counting = `SELECT count(*) AS count ${selected}`;
    const { rows } = await execute<{ count: number }>(connection, counting, valuesOf(selection));
    const pages = () => pagesOf(connection, selection);
    return { count: rows[0]!.count, pages, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw storeError(error);
  }
}
