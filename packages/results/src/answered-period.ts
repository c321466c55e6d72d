import { type SurveyRecord } from "@afterword/reference-server/internal";
import { type ResultsReader, type ResultsSelection } from "./store/results-reader.ts";
import { type Answers, type Cell } from "./answers.ts";
import { rawSide, type Side } from "./changes.ts";
import { countedRuns, isCounted, noRuns, type CountedGroup, type CountedRuns } from "./counted-runs.ts";
import { isSpan, spanOf, type Grouping as By } from "./groupings.ts";
import { ratingValues } from "./ratings.ts";
import { scoresOf, noAnswers } from "./survey-results.ts";
import { countedDays, type Period } from "./period.ts";
import { tally, type Grouping, type RatingValues, type Tally } from "./tally.ts";
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
  return (
    ofStratum.find((one) => one.version === version) ?? ofStratum.find((one) => one.version === undefined)
  );
}

/** The answers of a period, with the counts of its runs. Each grouping is added up once. */
export class AnsweredPeriod {
  readonly answers: Answers;
  readonly runs: CountedRuns;
  readonly values: RatingValues;
  readonly zone: Zone;
  readonly #known = new Map<string, Tally[]>();

  constructor(answers: Answers, runs: CountedRuns, values: RatingValues, zone: Zone) {
    this.zone = zone;
    this.answers = answers;
    this.runs = runs;
    this.values = values;
  }

  static async read(
    reader: ResultsReader,
    selection: ResultsSelection & Period,
    surveys: readonly SurveyRecord[],
    answers: Answers,
  ): Promise<AnsweredPeriod> {
    const counts = await reader.runCounts({ ...selection, ...countedDays(selection) });
    const values = new Map(surveys.map(({ id, definition: { type } }) => [id, ratingValues[type]]));
    return new AnsweredPeriod(answers, countedRuns(counts, answers, surveys), values, selection.zone);
  }

  tallies(by: By | "none"): Tally[] {
    const name = JSON.stringify(by);
    const known = this.#known.get(name);
    if (known) return known;
    const groups = isCounted(by) ? this.runs.groups(by) : undefined;
    const found = tally(this.answers, this.values, {
      ...groupingBy(by, this.zone),
      residualOf:
        groups &&
        ((cell, key, isOfRun) => {
          const group = groups.get(cell.surveyId)?.get(key as string | null);
          return isOfRun && group ? residualOf(group, cell) : undefined;
        }),
    });
    this.#known.set(name, found);
    return found;
  }

  /** The headline of a survey or of one of its versions, or its raw score, to be compared. */
  side({ id, definition: { type } }: SurveyRecord, by: "none" | "version", key: string | null, name: string) {
    const own = this.tallies(by).find((one) => one.surveyId === id && one.key === key) ?? noAnswers;
    const counted = this.runs.groups(by).get(id)?.get(key) ?? noRuns;
    const { raw, headline } = scoresOf(type, own, counted);
    const weighted: Side = {
      name,
      scored: headline,
      isWeighted: true,
      residualOf: (cell, isOfRun) => (isOfRun ? residualOf(counted, cell) : undefined),
    };
    return { raw: rawSide(name, raw), headline: counted.isWeighted ? weighted : rawSide(name, raw) };
  }
}
