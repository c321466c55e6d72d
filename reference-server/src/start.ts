import { getRequestListener } from "@hono/node-server";
import { masterKeyPlace } from "./administration/master-key-place.ts";
import { configFor } from "./config/parse-config.ts";
import { type ServerConfig } from "./config/server-config.ts";
import { systemClock, type Clock } from "./domain/clock.ts";
import { MasterKeys } from "./domain/master-keys.ts";
import { UsageError } from "./domain/usage-error.ts";
import { allOf, type ServerEvents } from "./events.ts";
import { assertNodeVersion } from "./store/node-version.ts";
import { holdForServing, openSqlite } from "./store/open-store.ts";
import { type OpenSqlite } from "./store/sqlite/sqlite-store.ts";
import { erasingText } from "./store/store.ts";
import { startBackground } from "./background.ts";
import { createApp, type Application } from "./app.ts";
import { serve, type ConnectionTimeouts } from "./program/serve.ts";

/** What `startServer` takes; each option has a default. */
export interface StartOptions {
  /** Default: none, for a database that already has projects. */
  config?: ServerConfig | undefined;
  /** The path of a SQLite file, or `:memory:` (the default) for a database that ends with the server. */
  database?: string | undefined;
  /** Default `127.0.0.1`. */
  host?: string | undefined;
  /** Default 0: a free port. */
  port?: number | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
  /** 32 bytes in hex or base64. Default: a key file beside the database, created at the first start. */
  masterKey?: string | undefined;
  /** A file with the master key. */
  keyFile?: string | undefined;
  /** Receives events for logging and metrics. Default: none. */
  events?: ServerEvents | undefined;
  /** Time limits for connections. Default: 10 seconds for the headers, 30 for a request, 75 for an idle connection. */
  timeouts?: ConnectionTimeouts | undefined;
}

/** A running server. `await using server = await startServer({ config })` closes it at the end of the block. */
export interface RunningServer extends AsyncDisposable, Pick<Application, "projects" | "seed"> {
  /** Without a trailing slash, for example `http://127.0.0.1:39211`. */
  url: string;
  /** Answers the requests in flight, then stops. Waits at most eight seconds for them. */
  close(): Promise<void>;
}

/** The options that `startServer` of `@afterword/server` has beside these. */
const operated = "admin auditFile auditTrail drainDelayInMs erasureLog networkDisk retention".split(" ");

/** @throws UsageError for what only `@afterword/server` does, which must not be ignored in silence */
function refuseOperation(options: object): void {
  const given = operated.find((name) => (options as Record<string, unknown>)[name] !== undefined);
  if (given) throw new UsageError(`The option ${given} is one of startServer of @afterword/server.`);
}

interface OpeningOptions extends Pick<StartOptions, "config" | "masterKey" | "keyFile"> {
  clock: Clock;
  events: ServerEvents;
  allowLoopbackOrigins?: boolean;
}

/** Opens the application on a SQLite database, off which it keeps other servers until it is closed. */
export async function openApplication(
  database: string,
  { masterKey, keyFile, ...options }: OpeningOptions,
): Promise<Application & { opened: OpenSqlite }> {
  const { clock, events } = options;
  // First: opening migrates, which must not happen under another server.
  const release = holdForServing(database);
  let opened: OpenSqlite | undefined;
  const close = async () => {
    await opened?.store.close();
    release();
  };
  try {
    opened = await openSqlite(database);
    const { store, truncation } = opened;
    truncation.onFailure = (error) => events.emit({ kind: "background-failure", task: erasingText, error });
    const place = masterKeyPlace({ given: masterKey, keyFile, database, store, clock });
    const masterKeys = await MasterKeys.open(store, place.read, clock);
    return {
      ...(await createApp({ ...options, store, masterKeys })),
      opened,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Starts the server on SQLite, by default in memory and on a free port of this machine.
 * @throws InvalidConfig with all mistakes, CannotListen for a port in use, UnusableDatabase, or UsageError
 * @example
 * await using server = await startServer({ config: { projects: [] } }); // until the end of the block
 */
export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  assertNodeVersion();
  const { database = ":memory:", host = "127.0.0.1", port = 0, clock = systemClock, keyFile } = options;
  refuseOperation(options);
  const config = configFor(database, options.config);
  const events = allOf(options.events);
  const given = { config, clock, events, masterKey: options.masterKey, keyFile };
  const { app, service, projects, seed, close: closeDatabase } = await openApplication(database, given);
  try {
    const answer = getRequestListener(app.fetch);
    const { url, close: stopListening } = await serve(answer, host, port, options.timeouts);
    const background = startBackground(service, events);
    const stop = async () => {
      await stopListening();
      await background.stop();
      await closeDatabase();
    };
    let stopping: Promise<void> | undefined;
    const close = () => (stopping ??= stop());
    return { url, projects, seed, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await closeDatabase();
    throw error;
  }
}
