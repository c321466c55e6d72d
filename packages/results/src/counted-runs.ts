import { type SurveyRecord } from "@afterword/reference-server/internal";
import { type RunCountTally } from "./store/results-reader.ts";
import { type Answers } from "./answers.ts";
import { funnelOf, type Funnel } from "./funnel.ts";
import {
  answeredClasses,
  answersOf,
  weightsOf,
  type AnsweredClass,
  type ClassTally,
  type Unweighted,
  type Weights,
} from "./weights.ts";

/** What is known about the runs of a group of answers. */
export interface CountedGroup {
  funnel: Funnel;
  weights: Weights | Unweighted;
  classes: AnsweredClass[];
  /** Whether the score goes by the weights: they differ, or the survey samples its runs. */
  isWeighted: boolean;
}

export const noRuns: CountedGroup = {
  funnel: funnelOf([]),
  weights: "no runs",
  classes: [],
  isWeighted: false,
};

/** Groups of which runs are counted: all of a survey, or those of each version or stratum. */
export type CountedGrouping = "none" | "version" | "stratum";
export const isCounted = (by: unknown): by is CountedGrouping =>
  by === "none" || by === "version" || by === "stratum";

/** More groups than this are no table that anyone reads, and too many to compare. */
export const mostGroups = 100;

export interface CountedRuns {
  /** Whether any run reported one. */
  hasVersions: boolean;
  /** The groups with the most answers. By the id of the survey, then by version or stratum; `none` has the one key null. */
  groups(by: CountedGrouping): ReadonlyMap<string, ReadonlyMap<string | null, CountedGroup>>;
}

const differing = 1 + 1e-9;

/** How many gave each rating, by classes of runs. */
function classesOf(answers: Answers): ClassTally[] {
  const classes = new Map<string, ClassTally>();
  const ofCells = answers.cells.map(({ surveyId, values }) => {
    const version = values["version"] as string | null;
    const stratum = values["stratum"] as string | null;
    const key = JSON.stringify([surveyId, version, stratum]);
    const known = classes.get(key) ?? { surveyId, version, stratum, counts: Array<number>(11).fill(0) };
    classes.set(key, known);
    return known;
  });
  for (let answer = 0; answer < answers.size; answer++)
    if (answers.isOfRun(answer)) ofCells[answers.cell[answer]!]!.counts[answers.rating(answer)]! += 1;
  return [...classes.values()].filter(({ counts }) => counts.some((count) => count > 0));
}

/** @param counts of the period that the answers are of */
export function countedRuns(
  counts: readonly RunCountTally[],
  answers: Answers,
  surveys: readonly SurveyRecord[],
): CountedRuns {
  const tallies = classesOf(answers);
  const countsBySurvey = Map.groupBy(counts, ({ surveyId }) => surveyId);
  const talliesBySurvey = Map.groupBy(tallies, ({ surveyId }) => surveyId);
  const ofSurvey = ({ id, sampling, definition: { type } }: SurveyRecord, by: CountedGrouping) => {
    const own = countsBySurvey.get(id) ?? [];
    const keyOf = (one: { version: string | null; stratum: string | null }) =>
      by === "none" ? null : one[by];
    const countsByKey = Map.groupBy(own, keyOf);
    const classesByKey = Map.groupBy(answeredClasses(own, talliesBySurvey.get(id) ?? []), keyOf);
    const keys = new Set([...classesByKey.keys(), ...countsByKey.keys(), ...(by === "none" ? [null] : [])]);
    const answers = (key: string | null) => answersOf(classesByKey.get(key) ?? []);
    const largest = [...keys].sort((one, other) => answers(other) - answers(one)).slice(0, mostGroups);
    return new Map(
      largest.map((key): [string | null, CountedGroup] => {
        const classes = classesByKey.get(key) ?? [];
        const weights = weightsOf(type, classes);
        const isWeighted =
          typeof weights === "object" && (weights.spread > differing || sampling !== undefined);
        return [key, { funnel: funnelOf(countsByKey.get(key) ?? []), weights, classes, isWeighted }];
      }),
    );
  };
  const known = new Map<CountedGrouping, ReturnType<CountedRuns["groups"]>>();
  return {
    hasVersions: [...counts, ...tallies].some(({ version }) => version !== null),
    groups(by) {
      const found = known.get(by) ?? new Map(surveys.map((survey) => [survey.id, ofSurvey(survey, by)]));
      known.set(by, found);
      return found;
    },
  };
}
