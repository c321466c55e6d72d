import { exportCount, exportedPages } from "../queries/export-pages.ts";
import { type ExportSelection, type ExportSnapshot } from "../store.ts";
import { openReader } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { runWork } from "./run-work.ts";

/** Opens a read transaction on a connection of its own: writers go on, and the rows stay as they were. */
export function openSnapshot(path: string, selection: ExportSelection): ExportSnapshot {
  const connection = openReader(path);
  try {
    connection.exec("BEGIN");
    const count = runWork(connection, exportCount(selection, dialect));
    const close = async () => void connection.close();
    const pages = () => exportedPages((page) => runWork(connection, page), selection, dialect);
    return { count, pages, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    connection.close();
    throw error;
  }
}
