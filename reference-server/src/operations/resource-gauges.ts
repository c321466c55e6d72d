import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { lastBackupAt } from "../store/store.ts";
import { type Service } from "../domain/service.ts";
import { type Load } from "../limits/load.ts";
import { type Metrics, type Sample } from "./metrics.ts";
import { remembered } from "./remembered.ts";

function addPoolGauge(metrics: Metrics, { store }: Service): void {
  if (!store.administration.connectionPools) return;
  metrics.gauge(
    "afterword_database_connections",
    "PostgreSQL connections that are open (size) and unused (idle), and callers that wait for one (waiting)",
    ["pool", "state"],
    async () =>
      Object.entries(store.administration.connectionPools!()).flatMap(([pool, facts]) =>
        Object.entries(facts).map(([state, value]) => ({ labels: { pool, state }, value: Number(value) })),
      ),
  );
}

/** Adds gauges of the requests that a server works on. First of all: the others query the database in each scrape. */
export function addLoadGauges(metrics: Metrics, load: Load, service: Service): void {
  addPoolGauge(metrics, service);
  const gauge = (name: string, help: string, value: () => number) =>
    metrics.gauge(name, help, [], async () => [{ labels: {}, value: value() }]);
  gauge(
    "afterword_requests_in_flight",
    "Complete requests that are being answered",
    () => load.requestsInFlight,
  );
  gauge(
    "afterword_requests_unfinished",
    "Requests whose body has not arrived completely",
    () => load.unfinishedRequests,
  );
}

function addDiskGauges(metrics: Metrics, { store, clock }: Service, erasureLog: string | undefined): void {
  const { administration } = store;
  const log = remembered(clock, () => administration.writeAheadLogBytes());
  metrics.gauge("afterword_write_ahead_log_bytes", "Size of the database's write-ahead log", [], async () => {
    const bytes = await log();
    return bytes === undefined ? [] : [{ labels: {}, value: bytes }];
  });
  const folders = { ...administration.folders, ...(erasureLog && { "erasure-log": dirname(erasureLog) }) };
  metrics.gauge(
    "afterword_disk_free_bytes",
    "Free space of the disk that holds the database, the erasure log or slow exports",
    ["holds"],
    () =>
      Promise.all(
        Object.entries(folders).map(async ([holds, folder]): Promise<Sample> => {
          const { bavail, bsize } = await statfs(folder);
          return { labels: { holds }, value: bavail * bsize };
        }),
      ),
  );
}

function addBackupGauge(metrics: Metrics, { store, clock }: Service): void {
  const date = remembered(clock, () => store.agreement(lastBackupAt));
  const help = "Time since the last backup; infinite before the first";
  metrics.gauge("afterword_backup_age_seconds", help, [], async () => {
    const at = await date();
    const value = at === undefined ? Infinity : Math.max(0, clock.now() - Number(at)) / 1000;
    return [{ labels: {}, value }];
  });
}

/** Adds gauges of what a server needs to keep running: connections, disks and backups. */
export function addResourceGauges(metrics: Metrics, service: Service, erasureLog: string | undefined): void {
  const up = remembered(service.clock, () => service.store.ping());
  metrics.gauge(
    "afterword_database_up",
    "1 while the database answers and has room; otherwise the gauges that need it are left out",
    [],
    async () => [
      {
        labels: {},
        value: await up().then(
          () => 1,
          () => 0,
        ),
      },
    ],
  );
  addDiskGauges(metrics, service, erasureLog);
  addBackupGauge(metrics, service);
}
