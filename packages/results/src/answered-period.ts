import { type SurveyRecord } from "@afterword/reference-server/internal";
import {
  type DismissalTally,
  type Key,
  type ResultsReader,
  type ResultsSelection,
} from "./store/results-reader.ts";
import { type Answers, type Cell } from "./answers.ts";
import { rawSide, type Side } from "./changes.ts";
import {
  countedRuns,
  type CountedGroup,
  type CountedGrouping,
  isCounted,
  noRuns,
  scoresOf,
} from "./counted-runs.ts";
import { isSpan, spanOf, type Grouping as By } from "./groupings.ts";
import { ratingValues } from "./ratings.ts";
import { countedDays, type Period } from "./period.ts";
import { noAnswers, tally, type Grouping, type Tally } from "./tally.ts";
import { type Zone } from "./zone.ts";

/** How answers are grouped. */
export function groupingBy(by: By | "none", zone: Zone): Grouping {
  if (by === "none") return { keyOf: () => null };
  if (isSpan(by)) return { isByTime: true, keyOf: (_, at) => spanOf(by, at, zone) };
  const name = typeof by === "string" ? by : "fact";
  return { keyOf: ({ values }) => values[name] ?? null };
}

/** What an answer to a known run adds to the sum of its person, by the weights of its group. */
function residualOf({ weights }: CountedGroup, { values: { version, stratum } }: Cell) {
  if (typeof weights !== "object") return undefined;
  const ofStratum = weights.classes.filter((one) => one.stratum === stratum);
  const classOf = (wanted: Key | undefined) => ofStratum.find((one) => one.version === wanted);
  return classOf(version) ?? classOf(undefined);
}

/** Adds up the answers of a period, with the counts of its runs. Each grouping is added up once. */
export async function readAnsweredPeriod(
  reader: ResultsReader,
  selection: ResultsSelection & Period,
  surveys: readonly SurveyRecord[],
  answers: Answers,
) {
  const { zone } = selection;
  const counts = await reader.runCounts({ ...selection, ...countedDays(selection) });
  const runs = countedRuns(counts, answers, surveys);
  const values = new Map(surveys.map(({ id, definition: { type } }) => [id, ratingValues[type]]));
  const known = new Map<string, Tally[]>();
  const residualsOf = (by: CountedGrouping): Grouping["residualOf"] => {
    const groups = runs.groups(by);
    return (cell, key, isOfRun) => {
      const group = groups.get(cell.surveyId)?.get(key as string | null);
      return isOfRun && group ? residualOf(group, cell) : undefined;
    };
  };
  const tallies = (by: By | "none"): Tally[] => {
    const name = JSON.stringify(by);
    const grouping = { ...groupingBy(by, zone), residualOf: isCounted(by) ? residualsOf(by) : undefined };
    const found = known.get(name) ?? tally(answers, values, grouping);
    known.set(name, found);
    return found;
  };
  /** The headline of a survey or of one of its groups, or its raw score, to be compared. */
  const side = (
    { id, definition: { type } }: SurveyRecord,
    by: By | "none",
    key: string | null,
    name: string,
  ) => {
    const own = tallies(by).find((one) => one.surveyId === id && one.key === key) ?? noAnswers;
    const counted = (isCounted(by) && runs.groups(by).get(id)?.get(key)) || noRuns;
    const { raw, headline } = scoresOf(type, own, counted);
    const weighted: Side = {
      name,
      scored: headline,
      isWeighted: true,
      residualOf: (cell, isOfRun) => (isOfRun ? residualOf(counted, cell) : undefined),
    };
    return { raw: rawSide(name, raw), headline: counted.isWeighted ? weighted : rawSide(name, raw) };
  };
  return { answers, runs, values, tallies, side };
}

/** One reading of the database, shared by all groups and comparisons. */
export interface Reading {
  reader: ResultsReader;
  selection: ResultsSelection & Period;
  surveys: readonly SurveyRecord[];
  /** Those of the period, and of the one before where they are compared. */
  answers: Answers;
  answered: Awaited<ReturnType<typeof readAnsweredPeriod>>;
  dismissals: readonly DismissalTally[];
}
