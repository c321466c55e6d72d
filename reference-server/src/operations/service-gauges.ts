import { type ClockReading } from "../domain/deletion-clock.ts";
import { type Service } from "../domain/service.ts";
import { isUsableKey } from "../domain/project-directory.ts";
import { type RateLimiter } from "../limits/rate-limit.ts";
import { type KeyRecord, type QueueFacts } from "../store/store.ts";
import { type Metrics, type Sample } from "./metrics.ts";
import { remembered } from "./remembered.ts";

/** Projects with their own time series; the others share one. */
const projectsTold = 100;
const others = "(other projects)";

function samples<T>(
  rows: readonly T[],
  project: (row: T) => string,
  value: (row: T) => number,
  merge: (one: number, other: number) => number,
): Sample[] {
  const values = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const name = index < projectsTold ? project(row) : others;
    const known = values.get(name);
    values.set(name, known === undefined ? value(row) : merge(known, value(row)));
  }
  return [...values].map(([name, value]) => ({ labels: { project: name }, value }));
}

const sum = (one: number, other: number) => one + other;

/** Responses beyond a survey's maximum, from tokens issued before it was reached (decision D73). */
async function overshoots({ directory, store }: Service) {
  const rows: { projectId: string; overshoot: number }[] = [];
  for (const { id, maximumBySurveyId } of directory.projects) {
    if (maximumBySurveyId.size === 0) continue;
    const { responseCounts } = await store.askFacts(id, { countedSurveyIds: [...maximumBySurveyId.keys()] });
    const beyond = [...maximumBySurveyId].map(([surveyId, maximum]) =>
      Math.max(0, (responseCounts.get(surveyId) ?? 0) - maximum),
    );
    rows.push({ projectId: id, overshoot: beyond.reduce(sum, 0) });
  }
  return rows;
}

function addKeyGauges(metrics: Metrics, { clock, directory, masterKeys }: Service): void {
  const now = clock.now.bind(clock);
  metrics.gauge(
    "afterword_master_key_age_seconds",
    "Time since the master key took over; absent for keys from before it was recorded",
    [],
    async () =>
      masterKeys.records
        .slice(0, 1)
        .flatMap(({ since }) =>
          since === undefined ? [] : [{ labels: {}, value: Math.max(0, now() - since) / 1000 }],
        ),
  );
  metrics.gauge(
    "afterword_secret_key_age_seconds",
    "Age of the oldest secret key that is accepted",
    ["project"],
    async () => {
      const keys = directory.projects.flatMap((project) =>
        project.keys.filter((key) => key.kind === "secret" && isUsableKey(key, now())),
      );
      const age = ({ createdAt }: KeyRecord) => Math.max(0, now() - createdAt) / 1000;
      return samples(keys, ({ projectId }) => projectId, age, Math.max);
    },
  );
}

function addClockGauges(metrics: Metrics, { clock, deletionClock }: Service): void {
  const reading = remembered(clock, () => deletionClock.read());
  const gauge = (name: string, help: string, value: (of: ClockReading) => number) =>
    metrics.gauge(name, help, [], async () => [{ labels: {}, value: value(await reading()) }]);
  gauge(
    "afterword_deletions_held",
    "1 while deletions are held because the clock may be wrong",
    ({ isHeld }) => Number(isHeld),
  );
  gauge(
    "afterword_clock_ahead_seconds",
    "How far the clock is ahead of the last clean-up plus the time since",
    ({ aheadInMs }) => aheadInMs / 1000,
  );
  gauge(
    "afterword_clock_skew_seconds",
    "This node's clock minus the database's",
    ({ skewInMs = 0 }) => skewInMs / 1000,
  );
}

/** Adds gauges that read the service at each scrape. */
export function addServiceGauges(metrics: Metrics, service: Service, limiter: RateLimiter): void {
  addClockGauges(metrics, service);
  addKeyGauges(metrics, service);
  const now = () => service.clock.now();
  const queues = remembered(service.clock, () => service.store.administration.queueFacts());
  const projectOf = ({ projectId }: { projectId: string }) => projectId;
  const queueGauge = (name: string, help: string, value: (facts: QueueFacts) => number, merge = sum) =>
    metrics.gauge(name, help, ["project"], async () => samples(await queues(), projectOf, value, merge));
  queueGauge(
    "afterword_queue_pending",
    "Scores that wait for the forwarder, counted up to 100,000",
    (one) => one.pending,
  );
  queueGauge(
    "afterword_queue_failed",
    "Scores that a sink refused, counted up to 100,000",
    (one) => one.failed,
  );
  queueGauge(
    "afterword_queue_oldest_pending_age_seconds",
    "Age of the oldest pending score; 0 if there is none",
    ({ oldestPendingAt }) =>
      oldestPendingAt === undefined ? 0 : Math.max(0, now() - oldestPendingAt) / 1000,
    Math.max,
  );
  const quotas = remembered(service.clock, () => overshoots(service));
  metrics.gauge(
    "afterword_survey_quota_overshoot",
    "Responses beyond the maximum of their survey",
    ["project"],
    async () => samples(await quotas(), projectOf, ({ overshoot }) => overshoot, sum),
  );
  metrics.gauge(
    "afterword_limiter_subjects",
    "Clients and projects that the rate limiter tracks",
    [],
    async () => [{ labels: {}, value: limiter.size ?? 0 }],
  );
}
