import { tmpdir } from "node:os";
import { type CompiledQuery, sql, type SqlBool } from "kysely";
import { type Queries, measuredAnswers, resultsReader, type ResultsReader } from "@afterword/results/store";
import { administrationMethods, type StoreAdministration } from "../store/administration.ts";
import { type ConnectionPool } from "./connection-pool.ts";
import { beginningOf, indexedBeginning } from "./respondent-index.ts";
import { inspect } from "./inspect.ts";
import { queriesOn, storable, type Connection } from "./connection.ts";

const isRespondent = (ids: readonly string[]) => sql<SqlBool>`
  ${sql.raw(indexedBeginning)} = ANY (${ids.map(beginningOf)}::text[]) AND respondent_id = ANY (${ids}::text[])`;

/** The database's clock in milliseconds since 1970. */
async function databaseNow(queries: Queries): Promise<number> {
  const now = sql<{ now: number }>`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;
  return (await now.execute(queries)).rows[0]!.now;
}

const rowsAtOnce = 5000;

/**
 * Through a cursor, so that the database's whole answer never is in memory. The database reads the next part while this
 * process takes the one before.
 */
async function* rowsOf(
  connection: Connection,
  { sql: text, parameters }: CompiledQuery,
): AsyncGenerator<unknown[][]> {
  await connection.query(`DECLARE many CURSOR FOR ${text}`, parameters.map(storable));
  const fetchPart = () =>
    connection.query<unknown[]>({ text: `FETCH ${rowsAtOnce} FROM many`, rowMode: "array" });
  let next = fetchPart();
  for (;;) {
    const { rows } = await next;
    if (rows.length < rowsAtOnce) {
      yield rows;
      break;
    }
    next = fetchPart();
    // The next round awaits it, and meets its error. There is none if the reader stops before.
    next.catch(() => undefined);
    yield rows;
  }
  await connection.query("CLOSE many");
}

async function readResults<T>(long: ConnectionPool, work: (reader: ResultsReader) => Promise<T>): Promise<T> {
  return long.use(async (connection) => {
    await long.begin(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // One processor of the database at most, since the others answer requests.
    await connection.query("SET LOCAL max_parallel_workers_per_gather = 0");
    // Most answers lie on the disk in the order of time, so reading a period by index costs no jumps. The planner cannot know
    // that, and read all 10 million answers for an eighth of them.
    await connection.query("SET LOCAL random_page_cost = 1.1");
    const queries = queriesOn(connection);
    const result = await work(
      resultsReader(
        (query) => query(queries),
        (query) => rowsOf(connection, query),
      ),
    );
    await connection.query("COMMIT");
    return result;
  });
}

/** The log is that of the whole database server, which only members of `pg_monitor` may list. */
async function writeAheadLogBytes(queries: Queries): Promise<number | undefined> {
  const mayList = sql<{ may: boolean }>`SELECT has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS may`;
  if (!(await mayList.execute(queries)).rows[0]!.may) return undefined;
  const sum = sql<{ bytes: number }>`SELECT sum(size)::bigint AS bytes FROM pg_ls_waldir()`;
  return (await sum.execute(queries)).rows[0]!.bytes;
}

/** Everything runs beside the requests, on the connections for long work. Backups are `pg_dump`'s business. */
export function administration(
  long: ConnectionPool,
  pools: Readonly<Record<string, ConnectionPool>>,
  onErasingFailure: StoreAdministration["onErasingFailure"],
): StoreAdministration {
  const factsOf = ([name, pool]: [string, ConnectionPool]) => [name, pool.facts] as const;
  return {
    ...administrationMethods(long.runner, isRespondent),
    onErasingFailure,
    now: () => long.runner.read(databaseNow),
    readResults: (work) => readResults(long, work),
    measuredAnswers: (selection) => measuredAnswers(long.runner.read, selection),
    folders: { exports: tmpdir() },
    connectionPools: () => Object.fromEntries(Object.entries(pools).map(factsOf)),
    writeAheadLogBytes: () => long.runner.read(writeAheadLogBytes),
    inspect: () => long.runner.read(inspect),
  };
}
