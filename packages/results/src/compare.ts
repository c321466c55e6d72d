import { type SurveyRecord, UsageError } from "@afterword/reference-server/internal";
import { type ResultsReader, type ResultsSelection } from "./store/results-reader.ts";
import { type Answers } from "./answers.ts";
import { changesFrom, rawSide, type Change, type Compared } from "./changes.ts";
import { isolated } from "./isolated.ts";
import { scored } from "./score.ts";
import { byName } from "./survey-results.ts";
import { before, daysText, type Period } from "./period.ts";
import { groupingBy, AnsweredPeriod } from "./answered-period.ts";

/** Compares the headlines of both periods where both are weighted, else the raw scores. @param answers of both */
export async function changesFromBefore(
  reader: ResultsReader,
  selection: ResultsSelection & Period,
  surveys: readonly SurveyRecord[],
  answers: Answers,
  now: AnsweredPeriod,
): Promise<Change[]> {
  const earlier = before(selection);
  const own = answers.within(earlier.since, earlier.until);
  const then = await AnsweredPeriod.read(reader, { ...selection, ...earlier }, surveys, own);
  const compared = surveys.map((survey): Compared => {
    const from = then.side(survey, "none", null, daysText(earlier));
    const to = now.side(survey, "none", null, daysText(selection));
    const kind = from.headline.isWeighted && to.headline.isWeighted ? "headline" : "raw";
    return {
      survey,
      sides: new Map([
        ["before", from[kind]],
        ["now", to[kind]],
      ]),
    };
  });
  const keyOf = (_: unknown, at: number) => (at < selection.since ? "before" : "now");
  return changesFrom("before", compared, answers, now.values, { isByTime: true, keyOf });
}

/** Compares raw scores: runs are not counted by task type. */
export function changesOfTaskTypes(
  surveys: readonly SurveyRecord[],
  answered: AnsweredPeriod,
  from: string,
  to: string,
): Change[] {
  const tallies = answered.tallies("taskType");
  const compared = surveys.map((survey): Compared => {
    const sideOf = (key: string) => {
      const own = tallies.find((one) => one.surveyId === survey.id && one.key === key);
      return [key, rawSide(key, own && scored(survey.definition.type, own))] as const;
    };
    return { survey, sides: new Map([sideOf(from), sideOf(to)]) };
  });
  return changesFrom(
    from,
    compared,
    answered.answers,
    answered.values,
    groupingBy("taskType", answered.zone),
  );
}

/** Compares each version with the baseline. @throws UsageError for a baseline that no answer is of */
export function changesFromVersion(
  surveys: readonly SurveyRecord[],
  answered: AnsweredPeriod,
  baseline: string,
): Change[] {
  const tallies = answered.tallies("version");
  const versions = new Set(tallies.flatMap(({ key }) => (key === null ? [] : String(key))));
  if (!versions.has(baseline)) {
    const known = [...versions].sort(byName).map(isolated).join(", ");
    throw new UsageError(
      `--baseline "${baseline}": no answer that was selected is of that version. ${known ? `Versions: ${known}.` : "None has a version: mint with run.version."}`,
    );
  }
  const compared = surveys.map((survey): Compared => {
    const own = tallies.filter(({ surveyId, key }) => surveyId === survey.id && key !== null);
    const named = own.map(({ key }) => String(key)).sort(byName);
    const sideOf = (key: string) => [key, answered.side(survey, "version", key, key).headline] as const;
    return { survey, sides: new Map([baseline, ...named].map(sideOf)) };
  });
  return changesFrom(
    baseline,
    compared,
    answered.answers,
    answered.values,
    groupingBy("version", answered.zone),
  );
}
