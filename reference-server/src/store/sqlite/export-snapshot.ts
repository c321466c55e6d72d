import { exportCount, exportedPages } from "../queries/export-pages.ts";
import { type ExportSelection, type ExportSnapshot } from "../store.ts";
import { openReader } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { QueryConnection } from "./query-connection.ts";
import { storeError } from "./sqlite-error.ts";

/** Opens a read transaction on a connection of its own: writers go on, and the rows stay as they were. */
export async function openSnapshot(path: string, selection: ExportSelection): Promise<ExportSnapshot> {
  const connection = openReader(path);
  const own = new QueryConnection(connection);
  try {
    connection.exec("BEGIN");
    const count = await own.read((queries) => exportCount(queries, selection, dialect));
    const close = async () => void connection.close();
    const pages = () => exportedPages((work) => own.read(work), selection, dialect);
    return { count, pages, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    connection.close();
    throw storeError(error);
  }
}
