import { type SurveyRecord, UsageError } from "@afterword/reference-server/internal";
import { groupingBy, type Reading, readAnsweredPeriod } from "./answered-period.ts";
import { changesFrom, type Change, type Compared } from "./changes.ts";
import { type Grouping } from "./groupings.ts";
import { isolated } from "./results-text.ts";
import { before, daysText } from "./period.ts";
import { byName } from "./survey-results.ts";
import { type Tally } from "./tally.ts";

/** Compares the headlines of both periods where both are weighted, else the raw scores. */
export async function changesFromBefore(reading: Reading): Promise<Change[]> {
  const { reader, selection, surveys, answers, answered: now } = reading;
  const earlier = before(selection);
  const own = answers.within(earlier.since, earlier.until);
  const then = await readAnsweredPeriod(reader, { ...selection, ...earlier }, surveys, own);
  const compared = surveys.map((survey): Compared => {
    const from = then.side(survey, "none", null, daysText(earlier));
    const to = now.side(survey, "none", null, daysText(selection));
    const kind = from.headline.isWeighted && to.headline.isWeighted ? "headline" : "raw";
    return { survey, sides: new Map(Object.entries({ before: from[kind], now: to[kind] })) };
  });
  const keyOf = (_: unknown, at: number) => (at < selection.since ? "before" : "now");
  return changesFrom("before", compared, { ...now, answers }, { isByTime: true, keyOf });
}

type KeysOf = (survey: SurveyRecord) => string[];

/** Compares groups of each survey, whose names are their keys, with the baseline. */
function changesBy(by: Grouping, baseline: string, reading: Reading, keysOf: KeysOf): Change[] {
  const { surveys, selection, answered } = reading;
  const compared = surveys.map((survey): Compared => {
    const sideOf = (key: string) => [key, answered.side(survey, by, key, key).headline] as const;
    return { survey, sides: new Map(keysOf(survey).map(sideOf)) };
  });
  return changesFrom(baseline, compared, answered, groupingBy(by, selection.zone));
}

/** Compares raw scores: runs are not counted by task type. */
export const changesOfTaskTypes = (reading: Reading, from: string, to: string): Change[] =>
  changesBy("taskType", from, reading, () => [from, to]);

/** Compares each version with the baseline. @throws UsageError for a baseline that no answer is of */
export function changesFromVersion(reading: Reading, baseline: string): Change[] {
  const named = reading.answered.tallies("version").filter(({ key }) => key !== null);
  const versionsOf = (all: readonly Tally[]) => [...new Set(all.map(({ key }) => String(key)))].sort(byName);
  const versions = versionsOf(named);
  if (!versions.includes(baseline)) {
    const known = versions.map(isolated).join(", ");
    throw new UsageError(
      `--baseline "${baseline}": no answer that was selected is of that version. ${known ? `Versions: ${known}.` : "None has a version: mint with run.version."}`,
    );
  }
  const keysOf: KeysOf = ({ id }) => [baseline, ...versionsOf(named.filter((one) => one.surveyId === id))];
  return changesBy("version", baseline, reading, keysOf);
}
