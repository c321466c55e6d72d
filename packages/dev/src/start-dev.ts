import { Hono } from "hono";
import { type ServerEvents } from "@afterword/reference-server";
import {
  allOf,
  type Clock,
  createApp,
  erasingText,
  holdForServing,
  masterKeyPlace,
  MasterKeys,
  type OpenSqlite,
  openSqlite,
  type ServerConfig,
  startBackground,
  systemClock,
} from "@afterword/reference-server/internal";
import { periodOf, readReport, reportPage } from "@afterword/results";
import { sqliteResults } from "@afterword/results/store";
import { DevConfig } from "./dev-config.ts";
import { devFolder, openDevFolder, type DevFolder } from "./dev-folder.ts";
import { DevLog } from "./dev-log.ts";
import { dataRoutes, pageRoutes, publicFiles, seenRoute, widgetFolder } from "./dev-routes.ts";
import { listenOnLoopback } from "./listen-on-loopback.ts";
import { type AsServer, MemoryForward } from "./memory-forward.ts";
import { watchRequests, type Answer } from "./watch-requests.ts";

export interface DevOptions {
  /** Holds the folder `.afterword`. */
  folder: string;
  /** 0 picks a free port. */
  port: number;
  /** Deletes database, keys and surveys of earlier runs. */
  isReset: boolean;
  /** Whether scores are delivered into memory; otherwise they stay in the queue. */
  isForwarding: boolean;
  /** Default: the system's clock. */
  clock?: Clock;
  /** Receives events for logging. Default: none. */
  events?: ServerEvents;
}

export interface RunningDev extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string;
  /** Where database, keys and surveys are. */
  folder: string;
  publishableKey: string;
  secretKey: string;
  close(): Promise<void>;
}

/** The service on the folder's database. The caller closes it, and then the database with it. */
async function openApp(folder: DevFolder, file: ServerConfig, clock: Clock, events: ServerEvents) {
  const { database } = folder;
  // Not in the file, which people copy for `serve`.
  const config: ServerConfig = { rateLimits: false, ...file };
  const release = holdForServing(database);
  let opened: OpenSqlite | undefined;
  try {
    opened = await openSqlite(database);
    const { store, truncation } = opened;
    truncation.onFailure = (error) => events.emit({ kind: "background-failure", task: erasingText, error });
    const place = masterKeyPlace({ database, store, clock });
    const masterKeys = await MasterKeys.open(store, place.read, clock);
    const options = { store, config, clock, masterKeys, events, allowLoopbackOrigins: true };
    return { ...(await createApp(options)), results: sqliteResults(opened), release };
  } catch (error) {
    await opened?.store.close();
    release();
    throw error;
  }
}

/** Asks the service with the secret key, as a server does. */
const asServerOf =
  (answer: Answer, secretKey: string): AsServer =>
  (path, body) => {
    const headers = { "authorization": `Bearer ${secretKey}`, "content-type": "application/json" };
    const sent = body && { method: "POST", body: JSON.stringify(body) };
    return answer(new Request(`http://localhost${path}`, { headers, ...sent }), {});
  };

const starting: Answer = async () => new Response("Starting; try again.\n", { status: 503 });

/**
 * Starts the server for development on loopback, with its page. The port comes first, so that a taken one leaves nothing
 * in the folder. @throws CannotListen, UsageError for a folder that cannot be written, UnusableDatabase
 */
export async function startDev(options: DevOptions): Promise<RunningDev> {
  const { port, isReset, isForwarding, clock = systemClock } = options;
  const events = allOf(options.events);
  const widget = widgetFolder();
  let answer = starting;
  const { url, close: stopListening } = await listenOnLoopback(port, (...given) => answer(...given));
  try {
    const folder = devFolder(options.folder);
    const file = await openDevFolder(folder, isReset);
    const opened = await openApp(folder, file, clock, events);
    const { app, service, results } = opened;
    const log = new DevLog(clock);
    const config = new DevConfig(folder, file, service, log);
    const onStored = () => void forward?.run();
    const watched = watchRequests(async (...given) => app.fetch(...given), log, config, onStored);
    const asServer = asServerOf(watched, config.project.secretKey);
    const forward = isForwarding ? new MemoryForward(asServer, config, log) : undefined;
    onStored();
    const report = async () => {
      const project = service.directory.project(config.project.id)!;
      const query = { ...periodOf({}, clock.now()), comments: 100 };
      return reportPage(await readReport(results, clock, project, query));
    };
    const routes = new Hono();
    publicFiles(routes, widget);
    seenRoute(routes, config, log);
    dataRoutes(routes, config, log, forward);
    pageRoutes(routes, config, asServer, report);
    routes.notFound((context) => watched(context.req.raw, context.env as object));
    answer = async (...given) => routes.fetch(...given);
    const background = startBackground(service, events);
    let closing: Promise<void> | undefined;
    const stop = async () => {
      await stopListening();
      await background.stop();
      await opened.close();
      opened.release();
    };
    const close = () => (closing ??= stop());
    const { publishableKey, secretKey } = config.project;
    return { url, folder: folder.path, publishableKey, secretKey, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await stopListening();
    throw error;
  }
}
