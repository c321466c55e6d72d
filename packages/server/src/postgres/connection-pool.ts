import { setTimeout as delay } from "node:timers/promises";
import pg, { type ClientBase } from "pg";
import { UnusableDatabase } from "@afterword/reference-server/internal";
import { type QueryRunner } from "@afterword/results/store";
import { type ConnectionPoolFacts } from "../store/administration.ts";
import { type DatabaseSettings } from "./database-url.ts";
import { isCollision, isBrokenConnection, storeError } from "./postgres-error.ts";
import { isPooled, notePooler, queriesOn, type Connection } from "./connection.ts";

/** Milliseconds for one statement or an idle transaction; beyond them callers get `StoreUnavailable`. */
export const requestPatienceInMs = 10_000;
/** The same for exports, erasures and migrations. */
export const longPatienceInMs = 600_000;

/** The driver gives up a silent database this much later than the database's own limit. */
const silenceInMs = 2000;
const collisionTries = 5;
const pauseInMs = 20;

const { INT8, JSONB } = pg.types.builtins;

/** 64-bit integers as numbers, since counts, sequences and times stay far below 2^53; JSON as its text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: "text") => {
    if (id === JSONB) return String;
    return id === INT8 ? Number : pg.types.getTypeParser(id, format);
  }) as typeof pg.types.getTypeParser,
};

/** The oldest version that the suites were run on. */
const oldestPostgres = 150_000;

interface Session {
  pid: number;
  version: number;
  encoding: string;
  fsync: string;
  synchronousCommit: string;
  fullPageWrites: string;
  isStandby: boolean;
}

const question = `
  SELECT pg_backend_pid() AS pid, current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
    current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('full_page_writes') AS "fullPageWrites", pg_is_in_recovery() AS "isStandby"`;

function unsuitability({ version, encoding, isStandby }: Session): string | undefined {
  if (version < oldestPostgres) return `PostgreSQL ${oldestPostgres / 10_000} or newer is needed.`;
  if (encoding !== "UTF8") return `its encoding is ${encoding}; create it with ENCODING 'UTF8'.`;
  if (isStandby) return "it is a standby, which cannot be written to; connect to the primary.";
  return undefined;
}

function lossOfCommits({ fsync, synchronousCommit, fullPageWrites }: Session): string | undefined {
  // Every other value has the commit on this server's disk before it is acknowledged.
  if (synchronousCommit === "off") return "synchronous_commit is off";
  if (fsync !== "on") return "fsync is off";
  return fullPageWrites === "on" ? undefined : "full_page_writes is off";
}

/** Asked on each new connection, since roles and restarts can change the answer. */
async function checkSession(client: ClientBase, allowUnsafeDurability: boolean): Promise<void> {
  const { rows } = await client.query<Session>(question);
  const session = rows[0]!;
  notePooler(client, session.pid);
  const fault = unsuitability(session);
  if (fault) throw new UnusableDatabase(`This PostgreSQL database cannot be used: ${fault}`);
  const loss = allowUnsafeDurability ? undefined : lossOfCommits(session);
  if (!loss) return;
  throw new UnusableDatabase(
    `${loss} in PostgreSQL: a crash would take back answers that were acknowledged. Switch it on, ` +
      "or add durability=unsafe to the database URL where losing them is fine, as in tests.",
  );
}

/** Sets what the database URL does not. Not as start-up parameters, which poolers refuse. */
function limitsOf({ given }: DatabaseSettings, patienceInMs: number, scope: string): string {
  const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
  return limits
    .filter((name) => !given.includes(name))
    .map((name) => `; SET ${scope} ${name} = ${patienceInMs}`)
    .join("");
}

function openPool(settings: DatabaseSettings, size: number, patienceInMs: number): pg.Pool {
  const pool = new pg.Pool({
    ...settings.connection,
    application_name: "afterword",
    max: size,
    keepAlive: true,
    types,
    connectionTimeoutMillis: settings.connectionInMs,
    query_timeout: patienceInMs + silenceInMs,
    async onConnect(client) {
      await checkSession(client, settings.allowUnsafeDurability);
      if (!isPooled(client)) await client.query(limitsOf(settings, patienceInMs, "SESSION"));
    },
  });
  // The pool replaces idle connections that break. Without listeners their errors would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

export class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #localLimits: string;
  #inUse = 0;
  readonly runner: QueryRunner = {
    read: (work) => this.repeatable((connection) => work(queriesOn(connection))),
    write: (work) => this.transaction((connection) => work(queriesOn(connection))),
  };

  constructor(settings: DatabaseSettings, size: number, patienceInMs: number) {
    this.#pool = openPool(settings, size, patienceInMs);
    this.#localLimits = limitsOf(settings, patienceInMs, "LOCAL");
  }

  /** Runs statements on one connection, without a transaction. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined;
    this.#inUse++;
    try {
      client = await this.#pool.connect();
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // Not reused: a statement that timed out may still be running on it.
      client?.release(true);
      throw storeError(error);
    } finally {
      this.#inUse--;
    }
  }

  /** As `use`. Runs the work once more if the connection was lost, and again when it collides with a transaction. */
  async repeatable<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#afterCollisions(() =>
      this.use(work).catch((error: Error) => {
        if (!isBrokenConnection(error.cause)) throw error;
        return this.use(work);
      }),
    );
  }

  /** Commits what `work` did, or nothing. Runs it again when it collides with another transaction. */
  async transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const inTransaction = async (connection: Connection) => {
      await this.begin(connection);
      // An error ends the connection, and with it the transaction.
      const result = await work(connection);
      await connection.query("COMMIT");
      return result;
    };
    return this.#afterCollisions(() => this.use(inTransaction));
  }

  /** Begins a transaction. Behind a pooler it has the time limits that a connection of its own has from the start. */
  async begin(connection: Connection, begin = "BEGIN"): Promise<void> {
    await connection.query(isPooled(connection) ? begin + this.#localLimits : begin);
  }

  async #afterCollisions<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        const isOver = !(error instanceof Error) || !isCollision(error.cause) || tries === collisionTries;
        if (isOver) throw error;
        await delay(pauseInMs * tries * Math.random());
      }
    }
  }

  /** Takes a connection out of the pool; the caller releases it. */
  async take(): Promise<pg.PoolClient> {
    return this.#pool.connect().catch((error: unknown) => {
      throw storeError(error);
    });
  }

  get facts(): ConnectionPoolFacts {
    const { totalCount: size, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { size, idle, waiting };
  }

  /** Finishes what was asked for before; the driver would drop callers that wait for a connection. */
  async close(): Promise<void> {
    while (this.#inUse > 0) await delay(pauseInMs);
    await this.#pool.end();
  }
}
