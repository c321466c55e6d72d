import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { administrationMethods } from "../queries/administration-methods.ts";
import { rowsOf, type Work } from "../queries/work.ts";
import { resultsReader, type Parts } from "../queries/results.ts";
import { type ResultsReader, type StoreAdministration } from "../store.ts";
import { type ConnectionPool } from "./connection-pool.ts";
import { dialect } from "./dialect.ts";
import { inspect } from "./inspect.ts";
import { runWork, type Connection } from "./run-work.ts";

/** The database's clock in milliseconds since 1970. */
function* databaseNow(): Work<number> {
  const now = sql<{ now: number }>`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;
  return (yield* rowsOf(now))[0]!.now;
}

/** A part takes about 5 ms. The database cannot give a reading a lower priority, but it can rest after each part. */
const parts: Parts = { rows: 10_000, pause: () => delay(10) };

async function readResults<T>(long: ConnectionPool, work: (reader: ResultsReader) => Promise<T>): Promise<T> {
  return long.use(async (connection) => {
    await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // One processor of the database at most, since the others answer requests.
    await connection.query("SET LOCAL max_parallel_workers_per_gather = 0");
    const result = await work(resultsReader((query) => runWork(connection, query), parts));
    await connection.query("COMMIT");
    return result;
  });
}

/** The log is that of the whole database server, which only members of `pg_monitor` may list. */
async function writeAheadLogBytes(connection: Connection): Promise<number | undefined> {
  const mayList = "SELECT has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS may";
  const [privilege] = (await connection.query<{ may: boolean }>(mayList)).rows;
  if (!privilege!.may) return undefined;
  const sum = "SELECT sum(size)::bigint AS bytes FROM pg_ls_waldir()";
  return (await connection.query<{ bytes: number }>(sum)).rows[0]!.bytes;
}

/** Everything runs beside the requests, on the connections for long work. Backups are `pg_dump`'s business. */
export function administration(
  long: ConnectionPool,
  pools: Readonly<Record<string, ConnectionPool>>,
): StoreAdministration {
  const factsOf = ([name, pool]: [string, ConnectionPool]) => [name, pool.facts] as const;
  return {
    ...administrationMethods(long.runner, dialect),
    now: () => long.runner.read(databaseNow),
    readResults: (work) => readResults(long, work),
    folders: { exports: tmpdir() },
    connectionPools: () => Object.fromEntries(Object.entries(pools).map(factsOf)),
    writeAheadLogBytes: () => long.read(writeAheadLogBytes),
    inspect: () => long.read(inspect),
  };
}
