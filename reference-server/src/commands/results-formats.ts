import { stringify } from "csv-stringify/sync";
import { isolated } from "../results/isolated.ts";
import { intervalText, shareText, valueText, warningText, withoutPersonText } from "../results/numbers.ts";
import { failuresText, queueText } from "../results/queue-state.ts";
import { type Results } from "../results/read-results.ts";
import { type Grouping } from "../results/groupings.ts";
import { type GroupResults, type SurveyResults } from "../results/summary.ts";
import { table } from "./table.ts";

type Figures = SurveyResults | GroupResults;

const count = (number: number | null): string => (number === null ? "" : number.toLocaleString("en"));

const cells = (name: string, figures: Figures): string[] => [
  name,
  count(figures.responses),
  count(figures.people),
  count(figures.dismissals),
  figures.answeredShare === null ? "" : shareText(figures.answeredShare),
  valueText(figures.score),
  intervalText(figures.score),
  warningText(figures.score),
];

/** For a terminal: a line per survey, its groups below it, what changed, and the queue. */
export function resultsTable({ surveys, queue, changes = [] }: Results, now: number): string {
  const heading = ["survey", "responses", "people", "dismissed", "answered", "score", "95 % interval", ""];
  const rows = surveys.flatMap((survey) => [
    cells(survey.imported > 0 ? `${survey.slug} (${count(survey.imported)} imported)` : survey.slug, survey),
    ...survey.groups.map((group) => cells(`  ${isolated(group.key ?? "(none)")}`, group)),
  ]);
  const lines = [table(heading, rows)];
  const unknown = withoutPersonText(surveys.reduce((sum, { withoutPerson }) => sum + withoutPerson, 0));
  if (unknown) lines.push("", `${unknown}.`);
  if (changes.length > 0) {
    const all = changes.length > 1 ? ` All ${changes.length} together, by Holm's correction.` : "";
    lines.push("", `What changed.${all}`, ...changes.map(({ survey, words }) => `  ${survey}: ${words}`));
  }
  const [failed, ...reasons] = failuresText(queue);
  lines.push(
    "",
    queueText(queue, now),
    ...(failed ? [failed, ...reasons.map((reason) => `  ${reason}`)] : []),
  );
  return lines.join("\n");
}

const columns = ["project", "survey", "slug", "type", "by", "key", "responses", "imported", "dismissals"];
const scoreColumns = ["answeredShare", "score", "value", "low", "high", "n"];
// At the end, so that a program that counts columns still finds the others.
const peopleColumns = ["people", "withoutPerson", "effectiveN"];
const ratings = Array.from({ length: 11 }, (_, rating) => String(rating));

/** As RFC 4180 has it: a row per survey, whose `by` is empty, and one per group; a column per rating. */
export function resultsCsv({ project, surveys }: Results, by: Grouping | undefined): string {
  const row = (survey: SurveyResults, figures: Figures, key?: string | null) => {
    const { responses, dismissals, answeredShare, score, distribution } = figures;
    const { id, slug, type } = survey;
    const isGroup = key !== undefined;
    const imported = isGroup ? null : survey.imported;
    const shownKey = key && isolated(key);
    const of = [project, id, slug, type, isGroup ? by : "", shownKey, responses, imported, dismissals];
    const scored = [answeredShare, score.name, score.value, score.low, score.high, score.n];
    const byPeople = [figures.people, figures.withoutPerson, score.effectiveN];
    return [...of, ...scored, ...ratings.map((rating) => distribution[rating]), ...byPeople];
  };
  const rows = surveys.flatMap((survey) => [
    row(survey, survey),
    ...survey.groups.map((group) => row(survey, group, group.key)),
  ]);
  const ratingColumns = ratings.map((rating) => `rating${rating}`);
  const heading = [...columns, ...scoreColumns, ...ratingColumns, ...peopleColumns];
  return stringify([heading, ...rows], {
    cast: { number },
    escape_formulas: true,
    record_delimiter: "windows",
  });
}

/** A negative NPS is no formula. */
const number = (value: number) => ({ value: String(value), escape_formulas: false });
