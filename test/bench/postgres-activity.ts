import { setTimeout as pause } from "node:timers/promises";
import { asOperator } from "../conformance/postgres-database.ts";
import { cpuSecondsOfFamily, parentOf } from "./process-cpu.ts";

// What a PostgreSQL does while it is measured, as its own statistics and the system tell it.

/** Counters that only grow. */
export interface PostgresCounters {
  commits: number;
  /** Flushes of the write-ahead log to disk. */
  flushes: number;
}

/** Sessions write their numbers down once in a second. */
const statisticsDelayInMs = 1200;
const sampledEveryMs = 15;

const counters = `
  SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())::float8 AS commits,
    (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal')::float8 AS flushes`;

export async function readCounters(database: string): Promise<PostgresCounters> {
  await pause(statisticsDelayInMs);
  const { rows } = await asOperator(database, (client) => client.query<PostgresCounters>(counters));
  return rows[0]!;
}

/** Reads the processor seconds of the whole database server. */
export async function processorOf(database: string): Promise<() => number> {
  const postmaster = await asOperator(database, async (client) => {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    return parentOf(rows[0]!.pid);
  });
  return () => cpuSecondsOfFamily(postmaster);
}

const waits = `
  SELECT coalesce(wait_event_type || ':' || wait_event, 'works') AS wait FROM pg_stat_activity
  WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;

/** What busy sessions wait for while `work` goes on, as shares of all samples, the largest first. */
export async function waitsDuring(
  database: string,
  work: () => Promise<unknown>,
): Promise<[string, number][]> {
  const seen: string[] = [];
  const state = { isOver: false };
  const sampling = asOperator(database, async (client) => {
    while (!state.isOver) {
      const { rows } = await client.query<{ wait: string }>(waits);
      seen.push(...rows.map(({ wait }) => wait));
      await pause(sampledEveryMs);
    }
  });
  await work().finally(() => (state.isOver = true));
  await sampling;
  const shares = [...Map.groupBy(seen, (wait) => wait)].map(([wait, samples]): [string, number] => [
    wait,
    samples.length / seen.length,
  ]);
  return shares.toSorted(([, one], [, other]) => other - one);
}
