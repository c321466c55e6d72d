import { type ServerEvents } from "@afterword/reference-server";
import { allOf, type Clock, openApplication, startBackground } from "@afterword/reference-server/internal";
import { periodOf, readReport, reportPage } from "@afterword/results";
import { sqliteResults } from "@afterword/results/store";
import { devConfig, devFolder, openDevFolder } from "./dev-config.ts";
import { DevLog } from "./dev-log.ts";
import { devRoutes, widgetFolder } from "./dev-routes.ts";
import { listenOnLoopback } from "./listen-on-loopback.ts";
import { type AsServer, memoryForward } from "./memory-forward.ts";
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
  clock: Clock;
  /** Receives events for logging. */
  events: ServerEvents;
}

export interface RunningDev {
  /** Without a trailing slash. */
  url: string;
  /** Where database, keys and surveys are. */
  folder: string;
  publishableKey: string;
  secretKey: string;
  close(): Promise<void>;
}

/**
 * Starts the server for development on loopback, with its page. The port comes first, so that a taken one leaves nothing
 * in the folder. @throws CannotListen, UsageError for a folder that cannot be written, UnusableDatabase
 */
export async function startDev(options: DevOptions): Promise<RunningDev> {
  const { port, isReset, isForwarding, clock } = options;
  const events = allOf(options.events);
  const widget = widgetFolder();
  let answer: Answer = async () => new Response("Starting; try again.\n", { status: 503 });
  const { url, close: stopListening } = await listenOnLoopback(port, (...given) => answer(...given));
  let stop = stopListening;
  try {
    const folder = devFolder(options.folder);
    const file = openDevFolder(folder, isReset);
    // Without limits, but not in the file, which people copy for `serve`.
    const unlimited = { rateLimits: false as const, ...file };
    const given = { config: unlimited, clock, events, allowLoopbackOrigins: true };
    const { app, service, opened, close: release } = await openApplication(folder.database, given);
    const background = startBackground(service, events);
    stop = async () => {
      await stopListening();
      await background.stop();
      await release();
    };
    const results = sqliteResults(opened);
    const log = new DevLog(clock);
    const config = devConfig(folder.configFile, file, service);
    const onStored = () => forward?.run();
    const watched = watchRequests(async (...given) => app.fetch(...given), log, config, onStored);
    const { publishableKey, secretKey } = config.project;
    const asServer: AsServer = async (path, body) => {
      const headers = { "authorization": `Bearer ${secretKey}`, "content-type": "application/json" };
      const sent = body && { method: "POST", body: JSON.stringify(body) };
      return watched(new Request(`http://localhost${path}`, { headers, ...sent }), {});
    };
    const forward = isForwarding ? memoryForward(asServer, config, log) : undefined;
    onStored();
    const report = async () => {
      const project = service.directory.project(config.project.id)!;
      const query = { ...periodOf({}, clock.now()), comments: 100 };
      return reportPage(await readReport(results, clock, project, query));
    };
    const routes = devRoutes(widget, { config, log, forward, asServer, report });
    routes.notFound((context) => watched(context.req.raw, context.env as object));
    answer = async (...given) => routes.fetch(...given);
    let closing: Promise<void> | undefined;
    const close = () => (closing ??= stop());
    return { url, folder: folder.path, publishableKey, secretKey, close };
  } catch (error) {
    await stop();
    throw error;
  }
}
