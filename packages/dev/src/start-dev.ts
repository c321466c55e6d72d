import {
  allOf,
  type Clock,
  createApp,
  holdForServing,
  masterKeyPlace,
  MasterKeys,
  type OpenSqlite,
  openSqlite,
  type ServerConfig,
  type ServerEvents,
  startBackground,
  systemClock,
} from "@afterword/reference-server/internal";
import { sqliteResults } from "@afterword/results/store";
import { devFolder, openDevFolder, projectOf, saveConfig, type DevFolder } from "./dev-folder.ts";
import { DevLog } from "./dev-log.ts";
import { devRoutes, widgetFolder, type Dev } from "./dev-routes.ts";
import { applyConfig, withSurvey } from "./edit-survey.ts";
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
    const { store } = opened;
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

type OpenApp = Awaited<ReturnType<typeof openApp>>;

/** What the page of `dev` works with. */
function assemble(
  { app, service, results }: OpenApp,
  first: ServerConfig,
  folder: DevFolder,
  isForwarding: boolean,
): Dev {
  let config = first;
  const log = new DevLog(service.clock);
  const project = () => projectOf(config);
  const onStored = () => void (isForwarding && forward.run());
  const answer = watchRequests(async (...given) => app.fetch(...given), log, project, onStored);
  const asServer: AsServer = (path, body) => {
    const headers: Record<string, string> = { authorization: `Bearer ${project().secretKey}` };
    if (!body) return answer(new Request(`http://localhost${path}`, { headers }), {});
    const text = JSON.stringify(body);
    headers["content-type"] = "application/json";
    return answer(new Request(`http://localhost${path}`, { method: "POST", headers, body: text }), {});
  };
  const forward = new MemoryForward(asServer, project, log);
  onStored();
  const edit: Dev["edit"] = async (index, text) => {
    const edited = withSurvey(config, index, text);
    try {
      await saveConfig(folder, edited, () => applyConfig(service, edited));
    } catch (error) {
      // Where only the file could not be replaced, the database goes back to it.
      await applyConfig(service, config).catch(() => undefined);
      throw error;
    }
    config = edited;
    log.add("edited", project().surveys[index]!.id);
  };
  let editing = Promise.resolve();
  return {
    service,
    results,
    log,
    project,
    answer,
    asServer,
    scores: () => forward.scores,
    isForwarding,
    // One after the other: each begins with what the one before it has stored.
    edit: (index, text) => (editing = editing.catch(() => undefined).then(() => edit(index, text))),
  };
}

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
    const config = await openDevFolder(folder, isReset);
    const opened = await openApp(folder, config, clock, events);
    const { service } = opened;
    const dev = assemble(opened, config, folder, isForwarding);
    const routes = devRoutes(dev, widget);
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
    const { publishableKey, secretKey } = dev.project();
    return { url, folder: folder.path, publishableKey, secretKey, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await stopListening();
    throw error;
  }
}
