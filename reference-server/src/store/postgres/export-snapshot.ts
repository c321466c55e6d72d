import { type PoolClient } from "pg";
import { exportCount, exportedResponse, exportPage, exportPageSize } from "../export-query.ts";
import { type ExportedResponse, type ExportSelection, type ExportSnapshot } from "../store.ts";
import { all, build, type Connection } from "./build.ts";
import { type ConnectionPool } from "./connection-pool.ts";
import { storeError } from "./postgres-error.ts";

/** Opens a snapshot on a connection of its own: writers go on, and the rows stay as they were. */
export async function openSnapshot(
  pool: ConnectionPool,
  selection: ExportSelection,
): Promise<ExportSnapshot> {
  const connection = await pool.take();
  const close = closing(connection);
  try {
    await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const [row] = await all(connection, exportCount(build, selection));
    const pages = () => pagesOf(connection, selection);
    return { count: row?.count ?? 0, pages, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw storeError(error);
  }
}

/** Ends the connection and with it the snapshot, also in the middle of a page that nobody reads any more. */
function closing(connection: PoolClient): () => Promise<void> {
  let isClosed = false;
  return async () => {
    if (isClosed) return;
    isClosed = true;
    connection.release(true);
  };
}

async function* pagesOf(
  connection: Connection,
  selection: ExportSelection,
): AsyncGenerator<ExportedResponse[]> {
  let sequence = 0;
  for (;;) {
    const rows = await all(connection, exportPage(build, selection, sequence)).catch((error: unknown) => {
      throw storeError(error);
    });
    if (rows.length > 0) yield rows.map(exportedResponse);
    if (rows.length < exportPageSize) return;
    sequence = rows.at(-1)!.sequence;
  }
}
