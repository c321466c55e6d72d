import { dayInMs } from "@afterword/protocol/duration";
import { dayOf, type Sampling } from "@afterword/reference-server/internal";
import { type RunCountTally } from "@afterword/results/store";
import { type OperatedService } from "../administration/operated-service.ts";
import { finding, type Finding } from "../store/administration.ts";

const windowInDays = 30;
/** Fewer answers give an interval that says little. */
const fewestAnswers = 30;

/** Runs of a survey within the window; null is the stratum of runs that no rules match. */
interface Traffic {
  runs: ReadonlyMap<string | null, number>;
  /** Answers for each run that sampling left in: what gating and silence leave. */
  answersPerRun: number;
}

function trafficOf(counts: readonly RunCountTally[]): Traffic {
  const total = (kind: RunCountTally["kind"]) =>
    counts.filter((tally) => tally.kind === kind).reduce((sum, { count }) => sum + count, 0);
  const runs = new Map<string | null, number>();
  for (const { kind, stratum, count } of counts)
    if (kind === "run") runs.set(stratum, (runs.get(stratum) ?? 0) + count);
  const sampled = total("run") - total("notSampled");
  return { runs, answersPerRun: sampled > 0 ? total("answered") / sampled : 0 };
}

/** The classes of runs that a survey asks about, each with its probability. */
function classesOf({ probability, strata = [] }: Sampling) {
  const named = strata.map(({ name, probability }) => ({
    stratum: name,
    name: `stratum "${name}"`,
    probability,
  }));
  return [...named, { stratum: null, name: "other runs", probability }];
}

/** Explains what is wrong with the probabilities, at the traffic of the period. */
function findingsOf(name: string, sampling: Sampling, { runs, answersPerRun }: Traffic): Finding[] {
  const days = `in the last ${windowInDays} days`;
  return classesOf(sampling).flatMap(({ stratum, name: runsOf, probability }) => {
    const count = runs.get(stratum) ?? 0;
    if (count === 0 && stratum !== null) {
      const advice = "Compare its rules with the facts that the mints send, or remove it.";
      return [finding(name, false, `${runsOf}: matched no run ${days}`, advice)];
    }
    const most = count * answersPerRun;
    const expected = most * probability;
    // Where every run is asked about, and where none is meant to be, the probability is not what is wrong.
    if (most === 0 || probability === 0 || probability === 1 || expected >= fewestAnswers) return [];
    const enough = Math.min(1, Math.ceil((100 * fewestAnswers) / most) / 100);
    const found = `${runsOf}: about ${Math.round(expected)} answers a month, of ${count} runs ${days}`;
    const outlook = enough < 1 ? fewestAnswers : Math.round(most);
    return [finding(name, false, found, `A probability of ${enough} would give about ${outlook}.`)];
  });
}

/** Counts of the last 30 days by the id of the survey, for surveys whose counting began before that. */
function readTraffic({ store, clock }: OperatedService, projectId: string, surveyIds: readonly string[]) {
  const since = dayOf(clock.now()) - windowInDays * dayInMs;
  return store.administration.readResults(async (reader) => {
    const earlier = await reader.runCounts({ projectId, surveyIds, until: since });
    const counted = new Set(earlier.map(({ surveyId }) => surveyId));
    const counts = await reader.runCounts({ projectId, surveyIds, since });
    const bySurvey = Map.groupBy(counts, ({ surveyId }) => surveyId);
    return new Map([...counted].map((id) => [id, trafficOf(bySurvey.get(id) ?? [])] as const));
  });
}

/** Checks the sampling of active surveys against the runs of the last 30 days. */
export async function examineSampling(service: OperatedService): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { id: projectId, activeSurveys } of service.directory.projects) {
    const surveys = activeSurveys.filter(({ sampling }) => sampling);
    if (surveys.length === 0) continue;
    const surveyIds = surveys.map((survey) => survey.id);
    const traffic = await readTraffic(service, projectId, surveyIds);
    for (const { id, slug, sampling } of surveys) {
      const name = `sampling of ${projectId}/${slug}`;
      const known = traffic.get(id);
      const wrong = known ? findingsOf(name, sampling!, known) : [];
      const good = known ? "enough answers" : `runs were counted for fewer than ${windowInDays} days`;
      findings.push(...(wrong.length > 0 ? wrong : [finding(name, true, good)]));
    }
  }
  return findings;
}
