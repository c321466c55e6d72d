import { type SurveyRecord } from "../store/project.ts";
import { type ClassResidual, type ResultsReader, type ResultsSelection } from "../store/store.ts";
import { funnelOf, type Funnel } from "./funnel.ts";
import {
  answeredClasses,
  answersOf,
  weightsOf,
  type AnsweredClass,
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

/** @param isEach whether classes are needed of surveys without counted runs too */
export async function countedRuns(
  reader: ResultsReader,
  selection: ResultsSelection,
  surveys: readonly SurveyRecord[],
  isEach: boolean,
): Promise<CountedRuns> {
  const counts = await reader.runCounts(selection);
  const counted = new Set(counts.flatMap(({ surveyId, kind }) => (kind === "run" ? surveyId : [])));
  const wanted = surveys.filter(({ id }) => isEach || counted.has(id)).map(({ id }) => id);
  const tallies = wanted.length > 0 ? await reader.classes({ ...selection, surveyIds: wanted }) : [];
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
  return {
    hasVersions: [...counts, ...tallies].some(({ version }) => version !== null),
    groups: (by) => new Map(surveys.map((survey) => [survey.id, ofSurvey(survey, by)])),
  };
}

/** Of all answers with a weight. */
export const residualsOf = (groups: ReturnType<CountedRuns["groups"]>): ClassResidual[] =>
  [...groups.values()].flatMap((ofSurvey) =>
    [...ofSurvey.values()].flatMap(({ weights }) => (typeof weights === "object" ? weights.residuals : [])),
  );
