import { exportCount, exportedResponse, exportPage } from "../export-query.ts";
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

async function* pagesOf(
  connection: Connection,
  selection: ExportSelection,
): AsyncGenerator<ExportedResponse[]> {
  const pageAfter = (sequence: number) => all(connection, exportPage(build, selection, sequence));
  let rows = pageAfter(0);
  while (rows.length > 0) {
    yield rows.map(exportedResponse);
    rows = pageAfter(rows.at(-1)!.sequence);
  }
}
