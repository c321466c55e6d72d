import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, isUsableKey, monotonicNow } from "@afterword/reference-server/internal";
import { type AuditTrail } from "../audit/audit-trail.ts";
import { type Load } from "../health/load.ts";
import { within } from "../health/readiness.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { lastBackupAt, type QueueFacts } from "../store/administration.ts";
import { type Metrics, type Sample } from "./metrics.ts";
import { addScoreGauges } from "./score-gauges.ts";

/** The parts of a server that its gauges read at each scrape. */
export interface Measured {
  service: OperatedService;
  load: Load;
  erasureLog?: string;
  auditTrail?: Pick<AuditTrail, "problem" | "chain">;
}

/** More frequent scrapes get the same values. */
const freshForMs = 5000;
/** A scrape must end before Prometheus gives up, by default after 10 seconds. */
const patienceInMs = 3000;

/** Caches what is asked for a few seconds, for all metrics that need it; waits at most three seconds for it. */
function remembered<T>(clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = -Infinity;
  return () => {
    const now = monotonicNow(clock);
    if (answer && now - askedAt < freshForMs) return answer;
    askedAt = now;
    answer = within(patienceInMs, ask());
    answer.catch(() => (answer = undefined));
    return answer;
  };
}

/** Projects with their own time series; the others share one. */
const mostProjects = 100;

type ProjectValue = readonly [projectId: string, value: number];
type Merge = (one: number, other: number) => number;

function samplesOf(rows: readonly ProjectValue[], merge: Merge): Sample[] {
  const values = new Map<string, number>();
  for (const [index, [projectId, value]] of rows.entries()) {
    const project = index < mostProjects ? projectId : "(other projects)";
    const known = values.get(project);
    values.set(project, known === undefined ? value : merge(known, value));
  }
  return [...values].map(([project, value]) => ({ labels: { project }, value }));
}

const sum: Merge = (one, other) => one + other;

type Seconds = (at: number | undefined) => number | undefined;

/** Gauges without labels. */
function addValueGauges(
  metrics: Metrics,
  { service, load, auditTrail }: Measured,
  secondsSince: Seconds,
): void {
  const { store, clock, deletionClock, masterKeys } = service;
  const up = remembered(clock, () => store.ping());
  const log = remembered(clock, () => store.administration.writeAheadLogBytes());
  const backup = remembered(clock, () => store.administration.agreement(lastBackupAt));
  const reading = remembered(clock, () => deletionClock.read());
  const add = (name: string, help: string, read: () => number | undefined | Promise<number | undefined>) =>
    metrics.gauge(`afterword_${name}`, help, [], read);
  add("requests_in_flight", "Complete requests that are being answered", () => load.requestsInFlight);
  const unfinished = "Requests whose body has not arrived completely";
  add("requests_unfinished", unfinished, () => load.unfinishedRequests);
  const keyAge = "Time since the master key took over; absent for keys from before it was recorded";
  add("master_key_age_seconds", keyAge, () => secondsSince(masterKeys.records[0]?.since));
  const held = "1 while deletions are held because the clock may be wrong";
  add("deletions_held", held, async () => Number((await reading()).isHeld));
  const skew = "This node's clock minus the database's";
  add("clock_skew_seconds", skew, async () => ((await reading()).skewInMs ?? 0) / 1000);
  const auditUp = "1 while audit lines can be written; absent where none are";
  add("audit_up", auditUp, () => auditTrail && Number(auditTrail.problem === undefined));
  const databaseUp =
    "1 while the database answers and has room; otherwise the gauges that need it are left out";
  add("database_up", databaseUp, () =>
    up().then(
      () => 1,
      () => 0,
    ),
  );
  add("write_ahead_log_bytes", "Size of the database's write-ahead log", log);
  const backupAge = "Time since the last backup; infinite before the first";
  add("backup_age_seconds", backupAge, async () => secondsSince(Number((await backup()) ?? -Infinity)));
}

/** Gauges that have a value for each project. */
function addProjectGauges(metrics: Metrics, { service }: Measured, secondsSince: Seconds): void {
  const { clock, directory, store } = service;
  const queues = remembered(clock, () => store.administration.queueFacts());
  const add = (name: string, help: string, merge: Merge, read: () => Promise<ProjectValue[]>) =>
    metrics.gauge(`afterword_${name}`, help, ["project"], async () => samplesOf(await read(), merge));
  const addOfQueues = (name: string, help: string, merge: Merge, valueOf: (facts: QueueFacts) => number) =>
    add(`queue_${name}`, help, merge, async () =>
      (await queues()).map((facts) => [facts.projectId, valueOf(facts)]),
    );
  add("secret_key_age_seconds", "Age of the oldest secret key that is accepted", Math.max, async () =>
    directory.projects
      .flatMap(({ keys }) => keys)
      .filter((key) => key.kind === "secret" && isUsableKey(key, clock.now()))
      .map(({ projectId, createdAt }) => [projectId, secondsSince(createdAt)!]),
  );
  const pending = "Scores that wait for the forwarder, counted up to 100,000";
  addOfQueues("pending", pending, sum, (facts) => facts.pending);
  addOfQueues("failed", "Scores that a sink refused, counted up to 100,000", sum, ({ failed }) => failed);
  const oldest = "Age of the oldest pending score; 0 if there is none";
  addOfQueues("oldest_pending_age_seconds", oldest, Math.max, ({ oldestPendingAt }) =>
    secondsSince(oldestPendingAt ?? clock.now())!,
  );
}

/** Not remembered: it says why the others may have no values. */
function addPoolGauge(metrics: Metrics, { administration }: OperatedService["store"]): void {
  if (!administration.connectionPools) return;
  const help =
    "PostgreSQL connections that are open (size) and unused (idle), and callers that wait for one (waiting)";
  metrics.gauge("afterword_database_connections", help, ["pool", "state"], () =>
    Object.entries(administration.connectionPools!()).flatMap(([pool, facts]) =>
      Object.entries(facts).map(([state, value]) => ({ labels: { pool, state }, value: Number(value) })),
    ),
  );
}

/** With them a file whose end was cut off, or whose lines the holder of the master key wrote anew, is noticed. */
function addChainGauges(metrics: Metrics, { auditTrail }: Measured): void {
  const chain = auditTrail?.chain;
  const add = (name: string, help: string, field: "length" | "head") =>
    metrics.gauge(`afterword_audit_${name}`, help, ["chain"], () =>
      chain ? [{ labels: { chain: chain.id }, value: chain[field] }] : [],
    );
  add("lines", "Audit lines that this process has written", "length");
  add("head", "First 48 bits of the hash of its last audit line", "head");
}

function addDiskGauge(metrics: Metrics, { service, erasureLog }: Measured): void {
  const { folders } = service.store.administration;
  const all = { ...folders, ...(erasureLog && { "erasure-log": dirname(erasureLog) }) };
  const help = "Free space of the disk that holds the database, the erasure log or slow exports";
  const free = async ([holds, folder]: [string, string]): Promise<Sample> => {
    const { bavail, bsize } = await statfs(folder);
    return { labels: { holds }, value: bavail * bsize };
  };
  metrics.gauge("afterword_disk_free_bytes", help, ["holds"], () =>
    Promise.all(Object.entries(all).map(free)),
  );
}

/** Adds the gauges that read a server's state at each scrape. */
export function addServiceGauges(metrics: Metrics, measured: Measured): void {
  const { clock, store } = measured.service;
  const secondsSince: Seconds = (at) => (at === undefined ? undefined : Math.max(0, clock.now() - at) / 1000);
  // First of all: the others query the database in each scrape.
  addPoolGauge(metrics, store);
  addValueGauges(metrics, measured, secondsSince);
  addProjectGauges(metrics, measured, secondsSince);
  addDiskGauge(metrics, measured);
  addChainGauges(metrics, measured);
  addScoreGauges(metrics, measured.service);
}
