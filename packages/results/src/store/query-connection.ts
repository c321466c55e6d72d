import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { sql, SqliteDialect } from "kysely";
import { queriesOf, type Queries } from "./query-runner.ts";
import { type Connection, isBusy, withStoreErrors } from "@afterword/reference-server/internal";

const patienceInMs = 5000;
const pauseInMs = 5;

/** Queries of one connection, on which a transaction and other queries wait for each other. */
export class QueryConnection {
  readonly #connection: Connection;
  readonly #queries: Queries;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#queries = queriesOf(new SqliteDialect({ database: connection }));
  }

  /** Runs statements that change nothing, each for itself. @throws what callers of the store expect */
  read<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return withStoreErrors(() => work(this.#queries));
  }

  /** Commits what `work` did, or nothing. Waits up to five seconds for another writer, without holding up reads. */
  async transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    const latest = performance.now() + patienceInMs;
    for (;;) {
      // Between many transactions in a row, requests are answered and their writes committed.
      await nextTurn();
      try {
        return await this.#commit(work);
      } catch (error) {
        if (!isBusy(error) || performance.now() > latest) throw error;
        await delay(pauseInMs);
      }
    }
  }

  /** Waits for what runs on it. */
  async close(): Promise<void> {
    await this.#queries.connection().execute(async () => this.#connection.close());
  }

  #commit<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.#queries.connection().execute(async (queries) => {
      await sql`BEGIN IMMEDIATE`.execute(queries);
      try {
        const result = await work(queries);
        await sql`COMMIT`.execute(queries);
        return result;
      } finally {
        // An error, some of which have rolled back already.
        if (this.#connection.inTransaction) await sql`ROLLBACK`.execute(queries);
      }
    });
  }
}
