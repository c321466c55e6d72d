import { createApp } from "./app.ts";
import { type ServerConfig } from "./config.ts";
import { type Clock } from "./domain/clock.ts";
import { noEvents, type ServerEvents } from "./events.ts";
import { listen } from "./listen.ts";
import { masterKey } from "./master-key.ts";
import { type StartedProject } from "./open-service.ts";
import { parseConfig } from "./parse-config.ts";
import { startBackground } from "./background.ts";
import { stopServer } from "./stop-server.ts";
import { openStore } from "./store/open-store.ts";

export interface StartOptions {
  /** Default: no projects, for a database that has them already. */
  config?: ServerConfig;
  /** A path, or `:memory:` (the default) for a database that is gone when the server closes. */
  database?: string;
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Default: the system's clock. */
  clock?: Clock;
  /** 32 bytes in hex or base64. Default: a key file beside the database, made at the first start. */
  masterKey?: string;
  /** A file that holds the master key. */
  keyFile?: string;
  /** Where logs and metrics listen. Default: nobody does. */
  events?: ServerEvents;
}

/** A server that listens. `await using server = await startServer({ config })` closes it at the end of the block. */
export interface RunningServer extends AsyncDisposable {
  /** Without a slash at the end, for example `http://127.0.0.1:39211`. */
  url: string;
  projects: StartedProject[];
  /** Answers what is in flight, then stops; at most 10 seconds. */
  close(): Promise<void>;
}

const systemClock: Clock = { now: () => Date.now() };

/** Starts a complete server. @throws InvalidConfig with every mistake, or when the database or port is not usable. */
export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  const {
    database = ":memory:",
    host = "127.0.0.1",
    port = 0,
    clock = systemClock,
    events = noEvents,
  } = options;
  const config = parseConfig(options.config ?? { projects: [] });
  const store = await openStore(database);
  try {
    const { key, isInDatabase } = await masterKey({
      given: options.masterKey,
      keyFile: options.keyFile,
      database,
      store,
    });
    if (isInDatabase) {
      const message =
        "The master key is in the database, so a dump holds it: set AFTERWORD_MASTER_KEY or --key-file.";
      events.emit({ kind: "warning", message });
    }
    const { app, service, projects } = await createApp({ store, config, clock, masterKey: key, events });
    const { server, url } = await listen(app, host, port);
    const background = startBackground(service, events);
    let closing: Promise<void> | undefined;
    const close = () => (closing ??= stopServer(server, background, service));
    return { url, projects, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await store.close();
    throw error;
  }
}
