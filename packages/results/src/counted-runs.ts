import { type SurveyType } from "@afterword/protocol";
import { type SurveyRecord } from "@afterword/reference-server/internal";
import { type RunCountTally } from "./store/results-reader.ts";
import { type Answers } from "./answers.ts";
import { funnelOf, type Funnel } from "./funnel.ts";
import { scored } from "./score.ts";
import { type Sums } from "./tally.ts";
import { answersOf, weightedScore, weightsOf, type AnsweredClass } from "./weights.ts";

/** What is known about the runs of a group of answers. */
export interface CountedGroup {
  funnel: Funnel;
  weights: ReturnType<typeof weightsOf>;
  /** Whether the score goes by the weights: they differ, or the survey samples its runs. */
  isWeighted: boolean;
}

export const noRuns: CountedGroup = { funnel: funnelOf([]), weights: "no runs", isWeighted: false };

/** The headline and the raw score of answers. @param counted absent where their runs are not counted */
export function scoresOf(type: SurveyType, { counts, sums, linearised }: Sums, counted?: CountedGroup) {
  const raw = scored(type, { counts, sums });
  if (!counted?.isWeighted || typeof counted.weights !== "object") return { raw, headline: raw };
  return { raw, headline: weightedScore(type, counted.weights, linearised) };
}

/** Groups of which runs are counted: all of a survey, or those of each version or stratum. */
export type CountedGrouping = "none" | "version" | "stratum";
export const isCounted = (by: unknown): by is CountedGrouping =>
  by === "none" || by === "version" || by === "stratum";

/** More groups than this are no table that anyone reads, and too many to compare. */
export const mostGroups = 100;

const differing = 1 + 1e-9;

/** The classes of each survey that have runs or answers, by its id. */
function classesOf(counts: readonly RunCountTally[], answers: Answers): Map<string, AnsweredClass[]> {
  const classes = new Map<string, AnsweredClass & { surveyId: string }>();
  const classOf = (surveyId: string, version: string | null, stratum: string | null) => {
    const key = JSON.stringify([surveyId, version, stratum]);
    const none = { runs: 0, answers: 0, counts: Array<number>(11).fill(0) };
    const known = classes.get(key) ?? { surveyId, version, stratum, ...none };
    classes.set(key, known);
    return known;
  };
  const ofCells = answers.cells.map(({ surveyId, values: { version = null, stratum = null } }) =>
    classOf(surveyId, version as string | null, stratum as string | null),
  );
  for (let answer = 0; answer < answers.size; answer++) {
    if (!answers.isOfRun(answer)) continue;
    const own = ofCells[answers.cell[answer]!]!;
    own.answers += 1;
    own.counts[answers.rating(answer)]! += 1;
  }
  for (const [key, { answers: own }] of classes) if (own === 0) classes.delete(key);
  for (const { surveyId, version, stratum, kind, count } of counts)
    if (kind === "run") classOf(surveyId, version, stratum).runs += count;
  return Map.groupBy(classes.values(), ({ surveyId }) => surveyId);
}

/** @param counts of the period that the answers are of */
export function countedRuns(
  counts: readonly RunCountTally[],
  answers: Answers,
  surveys: readonly SurveyRecord[],
) {
  const countsBySurvey = Map.groupBy(counts, ({ surveyId }) => surveyId);
  const classesBySurvey = classesOf(counts, answers);
  const ofSurvey = ({ id, sampling, definition: { type } }: SurveyRecord, by: CountedGrouping) => {
    const keyOf = (one: { version: string | null; stratum: string | null }) =>
      by === "none" ? null : one[by];
    const countsByKey = Map.groupBy(countsBySurvey.get(id) ?? [], keyOf);
    const classesByKey = Map.groupBy(classesBySurvey.get(id) ?? [], keyOf);
    const keys = new Set([...classesByKey.keys(), ...countsByKey.keys(), ...(by === "none" ? [null] : [])]);
    const answers = (key: string | null) => answersOf(classesByKey.get(key) ?? []);
    const largest = [...keys].sort((one, other) => answers(other) - answers(one)).slice(0, mostGroups);
    return new Map(
      largest.map((key): [string | null, CountedGroup] => {
        const weights = weightsOf(type, classesByKey.get(key) ?? []);
        const isWeighted =
          typeof weights === "object" && (weights.spread > differing || sampling !== undefined);
        return [key, { funnel: funnelOf(countsByKey.get(key) ?? []), weights, isWeighted }];
      }),
    );
  };
  const known = new Map<CountedGrouping, Map<string, Map<string | null, CountedGroup>>>();
  return {
    /** Whether any run reported one. */
    hasVersions: [...counts, ...[...classesBySurvey.values()].flat()].some(({ version }) => version !== null),
    /** The groups with the most answers, by the id of the survey, then by version or stratum; `none` has the one key null. */
    groups(by: CountedGrouping) {
      const found = known.get(by) ?? new Map(surveys.map((survey) => [survey.id, ofSurvey(survey, by)]));
      known.set(by, found);
      return found;
    },
  };
}
