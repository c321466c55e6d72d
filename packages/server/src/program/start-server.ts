import { hostname } from "node:os";
import { getRequestListener } from "@hono/node-server";
import {
  allOf,
  assertNodeVersion,
  type Clock,
  configFor,
  erasingText,
  holdForServing,
  masterKeyPlace,
  MasterKeys,
  newRecordId,
  type OpenPort,
  startBackground,
  type Store,
  systemClock,
} from "@afterword/reference-server/internal";
import { createApp } from "./create-app.ts";
import { type ServerEvents } from "../audit/audit-trail.ts";
import { type AdminAddress, type RunningServer, type StartOptions } from "./start-options.ts";
import { listen, type Listening } from "./listen.ts";
import { rejectedByAdapter, type RejectionListener } from "./rejections.ts";
import { stopServer } from "./stop-server.ts";
import { operatedService } from "../administration/operated-service.ts";
import { openStore } from "../postgres/open-store.ts";
import { copyBeforeUpgrade, hasKeyWithoutData } from "../sqlite/copy-before-upgrade.ts";
import { type OperatedStore } from "../store/administration.ts";
import { keyUseRecorder, operatedTasks } from "./operated-tasks.ts";
import { withTelemetry, type Answer } from "./telemetry.ts";
import { startAdminListener } from "./admin-listener.ts";
import { examineFiles, missingKey } from "../health/examine.ts";
import { Load } from "../health/load.ts";
import { Readiness } from "../health/readiness.ts";
import { openAuditFile } from "../audit/open-audit-trail.ts";
import { watchedTrail } from "../audit/watched-trail.ts";
import { openErasureLog } from "../audit/erasure-log.ts";
import { checkAgainstRecorded, checkServerFiles, recordServerFiles } from "../health/server-files.ts";
import { Metrics } from "../metrics/metrics.ts";
import { addServiceGauges, type Measured } from "../metrics/service-gauges.ts";
import { networkDisk, refuseNetworkDisk } from "../health/network-disk.ts";

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

async function masterKeysOf(
  { masterKey: given, keyFile, clock = systemClock }: StartOptions,
  database: string,
  store: Store,
  events: ServerEvents,
): Promise<MasterKeys> {
  const place = masterKeyPlace({ given, keyFile, database, store, clock });
  const keys = await MasterKeys.open(store, place.read, clock);
  const warn = (message: string) => events.emit({ kind: "warning", message });
  if (place.kind === "database")
    warn(
      "The master key is stored in the database, so dumps contain it: set AFTERWORD_MASTER_KEY or --key-file.",
    );
  const previous = keys.previous(clock.now());
  if (previous && !keys.isHeld(previous.id)) warn(missingKey(previous));
  return keys;
}

/** Warns of files that every account can read, and of a key without its database. */
function warnOfFiles(
  database: string,
  keyFile: string | undefined,
  isKeyAlone: boolean,
  events: ServerEvents,
) {
  const messages = examineFiles(database, keyFile).flatMap(({ advice }) => advice ?? []);
  messages.push(...[networkDisk(database) ?? []].flat().map(({ advice }) => advice));
  if (isKeyAlone)
    messages.push(
      `There is a master key beside ${database}, but the database was missing or empty, and a new one was created. ` +
        "Was it moved, or is its disk not mounted?",
    );
  for (const message of messages) events.emit({ kind: "warning", message });
}

/** Counts and logs rejections like other refusals. */
function rejectionEvents(events: ServerEvents, clock: Clock): RejectionListener {
  return ({ status, reason, method = "" }) => {
    const requestId = newRecordId(clock.now());
    events.emit({ kind: "request", requestId, method, status, durationInMs: 0, rejection: reason });
  };
}

const minuteInMs = 60_000;

/** Warns at most once a minute; the line has no address, which is personal data. */
function idleClosedWarning(events: ServerEvents): (count: number) => void {
  let [unreported, reportedAt] = [0, -Infinity];
  return (count) => {
    unreported += count;
    const now = performance.now();
    if (now - reportedAt < minuteInMs) return;
    const message = `Closed ${unreported} idle connections of clients that had more than 100 open. If a proxy is in front, set trustedProxies.`;
    events.emit({ kind: "warning", message });
    [unreported, reportedAt] = [0, now];
  };
}

async function startAdmin(
  address: AdminAddress | undefined,
  metrics: Metrics | undefined,
  measured: Measured,
  events: ServerEvents,
): Promise<OpenPort | undefined> {
  if (!address || !metrics) return undefined;
  if (address.host && !isLoopback(address.host)) {
    const message = `Anyone who reaches ${address.host} can read the metrics: keep that network private.`;
    events.emit({ kind: "warning", message });
  }
  addServiceGauges(metrics, measured);
  const readiness = new Readiness(measured.load, measured.auditTrail);
  return startAdminListener(address, metrics, () => readiness.reply(measured.service, null, 0));
}

function listenForRequests(
  fetch: Answer,
  { host = "127.0.0.1", port = 0, clock = systemClock, timeouts }: StartOptions,
  trustedProxies: number | undefined,
  events: ServerEvents,
): Promise<Listening> {
  const onRejection = rejectionEvents(events, clock);
  // A trusted proxy bounds what its clients may open, and keeps idle connections of its own.
  const onIdleClosed = trustedProxies ? undefined : idleClosedWarning(events);
  const answer = getRequestListener(fetch, {
    errorHandler: (error: unknown) => rejectedByAdapter(error, onRejection),
  });
  return listen({ answer, host, port, timeouts, onRejection, onIdleClosed });
}

/** Starts a complete server. @throws InvalidConfig with all mistakes, CannotListen for a port in use, UnusableDatabase or UsageError */
export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  assertNodeVersion();
  const { database = ":memory:", clock = systemClock } = options;
  const config = configFor(database, options.config);
  const metrics = options.admin && new Metrics();
  const keyUse = keyUseRecorder(() => clock.now());
  const events = allOf(options.events, metrics, keyUse.listener);
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
    metrics?.close();
    release?.();
  };
  try {
    const isKeyAlone = hasKeyWithoutData(database);
    // First: opening migrates, which must not happen under another server.
    release = holdForServing(database);
    const ofCopy = await copyBeforeUpgrade(database);
    store = await openStore(database);
    await checkAgainstRecorded(store, options);
    if (ofCopy !== undefined) events.emit({ kind: "warning", message: ofCopy });
    const masterKeys = await masterKeysOf(options, database, store, events);
    trail?.chain?.use(masterKeys.current);
    warnOfFiles(database, options.keyFile, isKeyAlone, events);
    const load = new Load();
    const application = { store, config, clock, masterKeys, events, auditTrail, erasureLog, load };
    const { app, service: core, projects, seed } = await createApp(application);
    const service = await operatedService(core, store);
    // After the audit of what the config file changes, so that nothing changes before its first line.
    await recordServerFiles(store, options, hostname());
    const measured = { service, load, auditTrail, erasureLog: options.erasureLog };
    admin = await startAdmin(options.admin, metrics, measured, events);
    const answer = await withTelemetry(app.fetch);
    const listening = await listenForRequests(answer, options, config.trustedProxies, events);
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
