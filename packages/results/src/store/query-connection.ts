import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { sql, SqliteDialect } from "kysely";
import { queriesOf, type Queries } from "./schema.ts";
import { type Connection, isBusy, withStoreErrors } from "@afterword/reference-server/internal";

const patienceInMs = 5000;
const pauseInMs = 5;

type Work<Result> = (queries: Queries) => Promise<Result>;

/** Queries of one connection, on which a transaction and other queries wait for each other. */
export class QueryConnection {
  readonly #connection: Connection;
  readonly #queries: Queries;
  #running: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#queries = queriesOf(new SqliteDialect({ database: connection }));
  }

  /** Runs statements that change nothing, each for itself. @throws what callers of the store expect */
  read<Result>(work: Work<Result>): Promise<Result> {
    return withStoreErrors(() => work(this.#queries));
  }

  /** Commits what `work` did, or nothing. Waits up to five seconds for another writer, without holding up reads. */
  transaction<Result>(work: Work<Result>): Promise<Result> {
    const result = this.#attempts(work);
    this.#running = Promise.allSettled([this.#running, result]).then(() => undefined);
    return result;
  }

  /** Closes the connection once its transactions have ended. */
  async close(): Promise<void> {
    await this.#running;
    await this.#queries.connection().execute(async () => this.#connection.close());
  }

  async #attempts<Result>(work: Work<Result>, latest = performance.now() + patienceInMs): Promise<Result> {
    // Between many transactions in a row, requests are answered and their writes committed.
    await nextTurn();
    return this.#commit(work).catch(async (error: unknown) => {
      if (!isBusy(error) || performance.now() > latest) throw error;
      await delay(pauseInMs);
      return this.#attempts(work, latest);
    });
  }

  #commit<Result>(work: Work<Result>): Promise<Result> {
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
