import { hostname } from "node:os";
import { type OpenPort } from "@afterword/command-line/start-listening";
import {
  allOf,
  assertNodeVersion,
  configFor,
  erasingText,
  holdForServing,
  masterKeyPlace,
  MasterKeys,
  startBackground,
  type Store,
  systemClock,
} from "@afterword/reference-server/internal";
import { createApp } from "./create-app.ts";
import { type RunningServer, type StartOptions } from "./start-options.ts";
import { listen } from "./listen.ts";
import { stopServer } from "./stop-server.ts";
import { operatedService } from "../administration/operated-service.ts";
import { openStore } from "../postgres/open-store.ts";
import { copyBeforeUpgrade, hasKeyWithoutData } from "../sqlite/backup.ts";
import { type OperatedStore } from "../store/administration.ts";
import { keyUseRecorder, operatedTasks } from "./operated-tasks.ts";
import { withTelemetry } from "./telemetry.ts";
import { listenForOperators } from "./admin-listener.ts";
import { examineDisk, examineFiles, missingKey } from "../health/examine.ts";
import { Load } from "../health/load.ts";
import { openAuditFile } from "../audit/open-audit-trail.ts";
import { watchedTrail } from "../audit/watched-trail.ts";
import { openErasureLog } from "../audit/erasure-log.ts";
import { checkAgainstRecorded, checkServerFiles, recordServerFiles } from "../health/server-files.ts";
import { Metrics } from "../metrics/metrics.ts";
import { refuseNetworkDisk } from "../health/network-disk.ts";

type Warn = (message: string) => void;

async function masterKeysOf(
  { masterKey: given, keyFile, clock = systemClock }: StartOptions,
  database: string,
  store: Store,
  warn: Warn,
): Promise<MasterKeys> {
  const place = masterKeyPlace({ given, keyFile, database, store, clock });
  const keys = await MasterKeys.open(store, place.read, clock);
  if (place.kind === "database")
    warn(
      "The master key is stored in the database, so dumps contain it: set AFTERWORD_MASTER_KEY or --key-file.",
    );
  const previous = keys.previous(clock.now());
  if (previous && !keys.isHeld(previous.id)) warn(missingKey(previous));
  return keys;
}

/** Warns of files that every account can read, and of a key without its database. */
function warnOfFiles(database: string, keyFile: string | undefined, isKeyAlone: boolean, warn: Warn): void {
  for (const { advice } of [...examineFiles(database, keyFile), ...examineDisk(database)])
    if (advice !== undefined) warn(advice);
  if (isKeyAlone)
    warn(
      `There is a master key beside ${database}, but the database was missing or empty, and a new one was created. ` +
        "Was it moved, or is its disk not mounted?",
    );
}

/** Starts a complete server. @throws InvalidConfig with all mistakes, CannotListen for a port in use, UnusableDatabase or UsageError */
export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  assertNodeVersion();
  const { database = ":memory:", clock = systemClock } = options;
  const config = configFor(database, options.config);
  const metrics = options.admin && new Metrics();
  const keyUse = keyUseRecorder(() => clock.now());
  const events = allOf(options.events, metrics, keyUse.listener);
  const warn = (message: string) => events.emit({ kind: "warning", message });
  checkServerFiles(options, database, options.keyFile);
  refuseNetworkDisk(database, options.networkDisk === "allow");
  const erasureLog = options.erasureLog === undefined ? undefined : openErasureLog(options.erasureLog);
  const { auditFile } = options;
  const trail = auditFile === undefined ? options.auditTrail : openAuditFile(auditFile, clock);
  const auditTrail = trail && watchedTrail(trail, events, clock, hostname());
  let store: OperatedStore | undefined;
  let admin: OpenPort | undefined;
  let release: (() => void) | undefined;
  const closeRest = async () => {
    await admin?.close();
    release?.();
  };
  try {
    const isKeyAlone = hasKeyWithoutData(database);
    // First: opening migrates, which must not happen under another server.
    release = holdForServing(database);
    const notice = await copyBeforeUpgrade(database);
    store = await openStore(database);
    await checkAgainstRecorded(store, options);
    if (notice !== undefined) warn(notice);
    const masterKeys = await masterKeysOf(options, database, store, warn);
    trail?.chain?.use(masterKeys.current);
    warnOfFiles(database, options.keyFile, isKeyAlone, warn);
    const load = new Load();
    const application = { store, config, clock, masterKeys, events, auditTrail, erasureLog, load };
    const { app, service: core, projects, seed } = await createApp(application);
    const service = operatedService(core, store);
    // After the audit of what the config file changes, so that nothing changes before its first line.
    await recordServerFiles(store, options, hostname());
    const measured = { service, load, auditTrail, erasureLog: options.erasureLog };
    admin = metrics && (await listenForOperators(options.admin!, metrics, measured, events));
    const answer = await withTelemetry(app.fetch);
    const listening = await listen(options, answer, events, Boolean(config.trustedProxies));
    service.store.administration.onErasingFailure((error) =>
      events.emit({ kind: "background-failure", task: erasingText, error }),
    );
    const background = startBackground(service, events, {
      "record key use": keyUse.task(service, events),
      ...operatedTasks(service, options.retention, events, auditTrail),
    });
    let closing: Promise<void> | undefined;
    const stopping = { listening, background, service, load, drainDelayInMs: options.drainDelayInMs ?? 0 };
    const close = () => (closing ??= stopServer(stopping).finally(closeRest));
    return { url: listening.url, adminUrl: admin?.url, projects, seed, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await closeRest();
    await store?.close();
    throw error;
  }
}
