import { exportCount, exportedAfter, exportedResponse, exportPage, exportPageSize } from "../export-query.ts";
import { scoreStates } from "../records.ts";
import { type ExportedResponse, type ExportSelection, type ExportSnapshot } from "../store.ts";
import { all, build } from "./build.ts";
import { openReader, type Connection } from "./connection.ts";

/** Opens a read transaction on a connection of its own: writers go on, and the rows stay as they were. */
export function openSnapshot(path: string, selection: ExportSelection): ExportSnapshot {
  const connection = openReader(path);
  try {
    connection.exec("BEGIN");
    const count = all(connection, exportCount(build, selection))[0]?.count ?? 0;
    const close = async () => void connection.close();
    return { count, pages: () => pagesOf(connection, selection), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Of somebody by the index of respondents, else state by state: each has its order in the index, and SQLite merges them. */
function pageQuery(selection: ExportSelection, after: number) {
  if (selection.respondentIds) return exportPage(build, selection, after);
  const rows = exportedAfter(build, selection, after);
  const [first, ...others] = scoreStates.map((state) => rows.where("score_state", "=", state));
  const merged = others.reduce((query, other) => query.unionAll(other), first!);
  return merged.orderBy("sequence").limit(exportPageSize);
}

async function* pagesOf(
  connection: Connection,
  selection: ExportSelection,
): AsyncGenerator<ExportedResponse[]> {
  const pageAfter = (sequence: number) => all(connection, pageQuery(selection, sequence));
  let rows = pageAfter(0);
  while (rows.length > 0) {
    yield rows.map(exportedResponse);
    rows = pageAfter(rows.at(-1)!.sequence);
  }
}
