import { stringify } from "csv-stringify/sync";
import {
  failuresText,
  funnelText,
  type Grouping,
  groupingName,
  type GroupResults,
  intervalText,
  isolated,
  notesOf,
  type Period,
  queueText,
  type Results,
  shareText,
  type SurveyResults,
  valueText,
  warningText,
  withoutPersonText,
  zonedText,
} from "@afterword/results";
import { table } from "./table.ts";

type Figures = SurveyResults | GroupResults;

const count = (number: number | null): string => (number === null ? "" : number.toLocaleString("en"));

const notes = ({ score, rawScore }: Figures): string[] => [
  ...(score.isWeighted ? [`raw ${valueText(rawScore)}`] : []),
  ...(warningText(score) ? [warningText(score)] : []),
];

const cells = (name: string, figures: Figures): string[] => [
  name,
  count(figures.responses),
  count(figures.people),
  count(figures.dismissals),
  figures.answeredShare === null ? "" : shareText(figures.answeredShare),
  valueText(figures.score),
  intervalText(figures.score),
  notes(figures).join("; "),
];

/** The text of a fact may hold control characters, which a terminal would obey. */
const shown = (key: string | null): string => isolated(key ?? "(none)").replaceAll(/\p{Cc}/gu, "\ufffd");
const groupName = ({ key, isPartial }: GroupResults) => `  ${shown(key)}${isPartial ? " (incomplete)" : ""}`;

/** What the score of a survey speaks for, how it came about, and what it cannot carry. */
function aboutSurvey({ slug, score, funnel, speaksFor, warnings }: SurveyResults): string[] {
  const steps = funnel ? funnelText(funnel) : "";
  if (score.n === 0 && !steps) return [];
  const lines = [speaksFor, ...(steps ? [steps] : []), ...warnings.map(({ text }) => `! ${text}`)];
  return ["", slug, ...lines.map((line) => `  ${line}`)];
}

/** For a terminal: a line per survey, its groups below it, what changed, and the queue. */
export function resultsTable(
  { project, surveys, queue, changes = [] }: Results,
  period: Period,
  now: number,
): string {
  const heading = ["survey", "responses", "people", "dismissed", "answered", "score", "95 % interval", ""];
  const rows = surveys.flatMap((survey) => [
    cells(survey.imported > 0 ? `${survey.slug} (${count(survey.imported)} imported)` : survey.slug, survey),
    ...survey.groups.map((group) => cells(groupName(group), group)),
  ]);
  const lines = [
    `${project}, ${zonedText(period)}`,
    "",
    table(heading, rows),
    ...surveys.flatMap(aboutSurvey),
  ];
  const unknown = withoutPersonText(surveys.reduce((sum, { withoutPerson }) => sum + withoutPerson, 0));
  if (unknown) lines.push("", `${unknown}.`);
  if (changes.length > 0) {
    const title = ["What changed.", ...notesOf(changes, surveys)].join(" ");
    lines.push("", title, ...changes.map(({ survey, words }) => `  ${survey}: ${words}`));
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
const rawColumns = ["isWeighted", "rawValue", "rawLow", "rawHigh", "rawN"];
const funnelColumns = ["runs", "notSampled", "gated", "asked", "shown", "answered", "dismissed"] as const;
const wordColumns = ["warnings", "speaksFor", "isPartial", "timezone"];
const ratings = Array.from({ length: 11 }, (_, rating) => String(rating));

/** As RFC 4180 has it: a row per survey, whose `by` is empty, and one per group; a column per rating. */
export function resultsCsv({ project, surveys, timezone }: Results, by: Grouping | undefined): string {
  const row = (survey: SurveyResults, figures: Figures, key?: string | null) => {
    const { responses, dismissals, answeredShare, score, distribution } = figures;
    const { id, slug, type } = survey;
    const isGroup = key !== undefined;
    const imported = isGroup ? null : survey.imported;
    const shownKey = key && isolated(key);
    const of = [
      project,
      id,
      slug,
      type,
      isGroup && by ? groupingName(by) : "",
      shownKey,
      responses,
      imported,
      dismissals,
    ];
    const scored = [answeredShare, score.name, score.value, score.low, score.high, score.n];
    const byPeople = [figures.people, figures.withoutPerson, score.effectiveN];
    const { rawScore: raw, funnel, warnings, speaksFor } = figures;
    const rawScored = [score.isWeighted, raw.value, raw.low, raw.high, raw.n];
    const steps = funnelColumns.map((step) => funnel?.[step]);
    const isPartial = "isPartial" in figures && figures.isPartial;
    const words = [warnings.map(({ code }) => code).join(" "), speaksFor, isPartial, timezone];
    const byRating = ratings.map((rating) => distribution[rating]);
    return [...of, ...scored, ...byRating, ...byPeople, ...rawScored, ...steps, ...words];
  };
  const rows = surveys.flatMap((survey) => [
    row(survey, survey),
    ...survey.groups.map((group) => row(survey, group, group.key)),
  ]);
  const ratingColumns = ratings.map((rating) => `rating${rating}`);
  const heading = [
    ...columns,
    ...scoreColumns,
    ...ratingColumns,
    ...peopleColumns,
    ...rawColumns,
    ...funnelColumns,
    ...wordColumns,
  ];
  return stringify([heading, ...rows], {
    cast: { number, boolean: String },
    escape_formulas: true,
    record_delimiter: "windows",
  });
}

/** A negative NPS is no formula. */
const number = (value: number) => ({ value: String(value), escape_formulas: false });
