import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type PoolClient } from "pg";
import { exportCount, exportedPages } from "../queries/export-pages.ts";
import { StoreUnavailable, type ExportSelection, type ExportSnapshot } from "../store.ts";
import { type Queries } from "../queries/query-runner.ts";
import { type ConnectionPool } from "./connection-pool.ts";
import { dialect } from "./dialect.ts";
import { storeError } from "./postgres-error.ts";
import { queriesOn, type Connection } from "./connection.ts";

/** An arbitrary number for advisory locks; no other program may use it in this database. */
const exportLocks = 7_236_402;
const askedAgainInMs = 250;

/** Two projects with the same number wait for each other, which is rare and harmless. */
const numberOf = (projectId: string) => createHash("sha256").update(projectId).digest().readInt32BE();

/**
 * Opens a snapshot on its own connection, so writers continue and the rows stay the same. Waits until no other node
 * exports the project (decision D42), unless the export is of persons. The turn ends with the snapshot's transaction,
 * and so also when its node dies.
 */
export async function openSnapshot(
  pool: ConnectionPool,
  selection: ExportSelection,
  signal?: AbortSignal,
): Promise<ExportSnapshot> {
  for (;;) {
    if (signal?.aborted) throw new StoreUnavailable("the client has disconnected");
    const snapshot = await trySnapshot(pool, selection);
    if (snapshot) return snapshot;
    // Waits without a connection, so that exports of other projects can begin.
    await delay(askedAgainInMs);
  }
}

/** `undefined` while it is another node's turn. */
async function trySnapshot(
  pool: ConnectionPool,
  selection: ExportSelection,
): Promise<ExportSnapshot | undefined> {
  const connection = await pool.take();
  const close = closing(connection);
  try {
    await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    if (!(await takeTurn(connection, selection))) {
      await connection.query("ROLLBACK");
      connection.release();
      return undefined;
    }
    const queries = queriesOn(connection);
    const count = await exportCount(queries, selection, dialect);
    const pages = () => exportedPages((work) => readPage(queries, work), selection, dialect);
    return { count, pages, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw storeError(error);
  }
}

async function takeTurn(connection: Connection, selection: ExportSelection): Promise<boolean> {
  if (selection.respondentIds) return true;
  const turn = await connection.query<{ isTaken: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1, $2) AS "isTaken"',
    [exportLocks, numberOf(selection.projectId)],
  );
  return turn.rows[0]!.isTaken;
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
