import { UsageError } from "../domain/usage-error.ts";
import { linearisedCovariance } from "../statistics/poststratification.ts";
import { correlation, moments } from "../statistics/sample.ts";
import { type SurveyRecord } from "../store/project.ts";
import {
  type BaselineTally,
  type ClassResidual,
  type RatingValues,
  type ResultsReader,
  type ResultsSelection,
  type Tally,
} from "../store/store.ts";
import { judged, type Change } from "./changes.ts";
import { noRuns, type CountedGroup, type CountedRuns } from "./counted-runs.ts";
import { difference } from "./difference.ts";
import { isolated } from "./isolated.ts";
import { score, valueCounts, type Scored } from "./score.ts";
import { byName, noAnswers, scoresOf } from "./summary.ts";

/** Where the score of a version is raw, each of its answers counts as one. */
function residualsOfVersion(
  { definition: { type } }: SurveyRecord,
  { isWeighted, weights, classes }: CountedGroup,
): ClassResidual[] {
  if (isWeighted && typeof weights === "object") return weights.residuals;
  const answered = classes.filter(({ answers }) => answers > 0);
  const n = answered.reduce((sum, { answers }) => sum + answers, 0);
  const { mean } = moments(
    answered.flatMap(({ counts }) => [...valueCounts(type, counts)]),
    n,
  );
  return answered.map(({ surveyId, version, stratum }) => ({
    surveyId,
    version,
    stratum,
    factor: 1 / n,
    mean,
  }));
}

function overlapOf(first: Scored | undefined, second: Scored | undefined, shared: BaselineTally | undefined) {
  if (!first || !second || !shared) return { people: 0, correlation: 0 };
  const inBoth = linearisedCovariance(first.sample, second.sample, shared.products);
  return { people: shared.people, correlation: correlation(first.sample, second.sample, inBoth) };
}

/**
 * Compares each version with the baseline; all of them, of all surveys, are one family for Holm's correction.
 * @param tallies by version
 * @throws UsageError for a baseline that no answer is of
 */
export async function changesFromBaseline(
  reader: ResultsReader,
  selection: ResultsSelection,
  surveys: readonly SurveyRecord[],
  values: RatingValues,
  { runs, tallies, baseline }: { runs: CountedRuns; tallies: readonly Tally[]; baseline: string },
): Promise<Change[]> {
  const versions = new Set(tallies.flatMap(({ key }) => (key === null ? [] : String(key))));
  if (!versions.has(baseline)) {
    const known = [...versions].sort(byName).map(isolated).join(", ");
    throw new UsageError(
      `--baseline "${baseline}": no answer that was selected is of that version. ${known ? `Versions: ${known}.` : "None has a version: mint with run.version."}`,
    );
  }
  const groups = runs.groups("version");
  const residuals = surveys.flatMap((survey) =>
    [...groups.get(survey.id)!.values()].flatMap((group) => residualsOfVersion(survey, group)),
  );
  const shared = await reader.sharedWithBaseline(selection, baseline, values, residuals);
  const rows = surveys.flatMap(({ id, slug, definition: { type } }) => {
    const own = tallies.filter(({ surveyId, key }) => surveyId === id && key !== null);
    const headline = (version: string) => {
      const tally = own.find(({ key }) => key === version) ?? noAnswers;
      const counted = groups.get(id)!.get(version) ?? noRuns;
      return { of: scoresOf(type, tally, counted).headline, isWeighted: counted.isWeighted };
    };
    const from = headline(baseline);
    const others = own.map(({ key }) => String(key)).filter((version) => version !== baseline);
    return others.sort(byName).map((version) => {
      const to = headline(version);
      const inBoth = shared.find((one) => one.surveyId === id && one.version === version);
      return {
        id,
        survey: slug,
        from: { name: baseline, score: score(type, from.of, from.isWeighted) },
        to: { name: version, score: score(type, to.of, to.isWeighted) },
        difference: difference(type, from.of, to.of, overlapOf(from.of, to.of, inBoth)),
      };
    });
  });
  return judged(rows);
}
