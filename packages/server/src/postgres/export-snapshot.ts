import { type PoolClient } from "pg";
import { exportCount, exportedPages } from "./export-pages.ts";
import { type ExportSelection, type ExportSnapshot } from "@afterword/reference-server/internal";
import { type Queries } from "@afterword/results/store";
import { type ConnectionPool } from "./connection-pool.ts";
import { dialect } from "./dialect.ts";
import { storeError } from "./postgres-error.ts";
import { queriesOn } from "./connection.ts";

/** Opens a snapshot on its own connection, so writers continue and the rows stay the same. */
export async function openSnapshot(
  pool: ConnectionPool,
  selection: ExportSelection,
): Promise<ExportSnapshot> {
  const connection = await pool.take();
  const close = closing(connection);
  try {
    await pool.begin(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const queries = queriesOn(connection);
    const count = await exportCount(queries, selection, dialect);
    const pages = () => exportedPages((work) => readPage(queries, work), selection, dialect);
    return { count, pages, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw storeError(error);
  }
}

/** Closes the connection and with it the snapshot, also in the middle of a page. */
function closing(connection: PoolClient): () => Promise<void> {
  let isClosed = false;
  return async () => {
    if (isClosed) return;
    isClosed = true;
    connection.release(true);
  };
}

const readPage = <Page>(queries: Queries, read: (queries: Queries) => Promise<Page>): Promise<Page> =>
  read(queries).catch((error: unknown) => {
    throw storeError(error);
  });
