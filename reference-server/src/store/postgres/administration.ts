import { sql } from "kysely";
import { administrationMethods } from "../queries/administration-methods.ts";
import { rowsOf, type Work } from "../queries/work.ts";
import { resultsReader } from "../queries/results.ts";
import { type ResultsReader, type StoreAdministration } from "../store.ts";
import { type ConnectionPool } from "./connection-pool.ts";
import { dialect } from "./dialect.ts";
import { inspect } from "./inspect.ts";
import { runWork } from "./run-work.ts";

/** The database's clock in milliseconds since 1970. */
function* databaseNow(): Work<number> {
  const now = sql<{ now: number }>`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;
  return (yield* rowsOf(now))[0]!.now;
}

async function readResults<T>(long: ConnectionPool, work: (reader: ResultsReader) => Promise<T>): Promise<T> {
  return long.use(async (connection) => {
    await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const result = await work(resultsReader((query) => runWork(connection, query)));
    await connection.query("COMMIT");
    return result;
  });
}

/** Everything runs beside the requests, on the connections for long work. Backups are `pg_dump`'s business. */
export function administration(long: ConnectionPool): StoreAdministration {
  return {
    ...administrationMethods(long.runner, dialect),
    now: () => long.runner.read(databaseNow),
    readResults: (work) => readResults(long, work),
    inspect: () => long.read(inspect),
  };
}
