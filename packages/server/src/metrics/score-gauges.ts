import { monotonicNow, UsageError } from "@afterword/reference-server/internal";
import { within } from "../health/readiness.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { watchedScore, type WatchedScore } from "@afterword/results";
import { type Metrics, type Sample } from "./metrics.ts";

const baselineInMs = 28 * 86_400_000;
const freshForMs = 60_000;
/** Reading takes at most this share of the time, however many answers there are. */
const mostShareOfTime = 0.01;
/** Long enough for a small database; a scrape that comes earlier gets what was read before, or no score yet. */
const patienceInMs = 50;
/** Surveys with time series of their own. */
const mostSurveys = 100;

interface Watched extends WatchedScore {
  labels: Record<"project" | "survey" | "version", string>;
}

/** The newest version of each active survey; those without versions, or without answers before, have nothing to compare. */
async function watchedSurveys({ store, clock, directory }: OperatedService): Promise<Watched[]> {
  const found: Watched[] = [];
  for (const { id: project, activeSurveys } of directory.projects) {
    for (const survey of activeSurveys) {
      if (found.length === mostSurveys) return found;
      try {
        const watched = await watchedScore(store.administration, clock, project, survey, { baselineInMs });
        const labels = { project, survey: survey.definition.slug, version: watched.version! };
        found.push({ ...watched, labels });
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
      }
    }
  }
  return found;
}

/** Reads at most once a minute; a scrape hardly waits, and then gets what was read last. */
function remembered(service: OperatedService): () => Promise<readonly Watched[]> {
  const now = () => monotonicNow(service.clock);
  let last: readonly Watched[] = [];
  let nextAt = -Infinity;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const startedAt = now();
    try {
      last = await watchedSurveys(service);
    } catch {
      // As the other gauges while the database does not answer.
      last = [];
    }
    nextAt = now() + Math.max(freshForMs, (now() - startedAt) / mostShareOfTime);
    reading = undefined;
  };
  return async () => {
    if (now() >= nextAt) reading ??= read();
    if (reading) await within(patienceInMs, reading).catch(() => undefined);
    return last;
  };
}

/** Name, help and value of each gauge; those without a value are left out. */
const gauges: readonly [name: string, help: string, value: (watched: Watched) => number | null][] = [
  ["score", "Score of the newest version of a survey's runs", ({ score }) => score.value],
  ["score_low", "Lower bound of the score; the bounds hold at all times at once", ({ score }) => score.low],
  ["score_high", "Upper bound of the score", ({ score }) => score.high],
  [
    "score_baseline_low",
    "Lower bound of the score of other versions in the 28 days before",
    ({ baseline }) => baseline.low,
  ],
  [
    "score_dropped",
    "1 once the upper bound of the score has been below the lower bound of the baseline",
    ({ droppedAt }) => Number(droppedAt !== undefined),
  ],
];

/** Adds the gauges of scores that are watched, without slowing down scrapes or submits. */
export function addScoreGauges(metrics: Metrics, service: OperatedService): void {
  const watched = remembered(service);
  for (const [name, help, valueOf] of gauges) {
    metrics.gauge(`afterword_${name}`, help, ["project", "survey", "version"], async () =>
      (await watched()).flatMap((one): Sample[] => {
        const value = valueOf(one);
        return value === null ? [] : [{ labels: one.labels, value }];
      }),
    );
  }
}
