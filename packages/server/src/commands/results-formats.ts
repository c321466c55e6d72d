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

/** `key` is of a group; absent for the survey as a whole. */
type CsvLine = { survey: SurveyResults; figures: Figures; key?: string | null };

type Column = (line: CsvLine, results: Results, by?: Grouping) => unknown;

const ratingColumns = Array.from({ length: 11 }, (_, rating): [string, Column] => [
  `rating${rating}`,
  ({ figures }) => figures.distribution[rating],
]);
const steps = ["runs", "notSampled", "gated", "asked", "shown", "answered", "dismissed"] as const;
const funnelColumns = steps.map((step): [string, Column] => [step, ({ figures }) => figures.funnel?.[step]]);

/** Each column with its value. New ones go to the end, so that a program that counts columns still finds the others. */
const columns: Record<string, Column> = {
  project: (_, { project }) => project,
  survey: ({ survey }) => survey.id,
  slug: ({ survey }) => survey.slug,
  type: ({ survey }) => survey.type,
  by: ({ key }, _, by) => (key !== undefined && by ? groupingName(by) : ""),
  key: ({ key }) => key && isolated(key),
  responses: ({ figures }) => figures.responses,
  imported: ({ survey, key }) => (key === undefined ? survey.imported : null),
  dismissals: ({ figures }) => figures.dismissals,
  answeredShare: ({ figures }) => figures.answeredShare,
  score: ({ figures }) => figures.score.name,
  value: ({ figures }) => figures.score.value,
  low: ({ figures }) => figures.score.low,
  high: ({ figures }) => figures.score.high,
  n: ({ figures }) => figures.score.n,
  ...Object.fromEntries(ratingColumns),
  people: ({ figures }) => figures.people,
  withoutPerson: ({ figures }) => figures.withoutPerson,
  effectiveN: ({ figures }) => figures.score.effectiveN,
  isWeighted: ({ figures }) => figures.score.isWeighted,
  rawValue: ({ figures }) => figures.rawScore.value,
  rawLow: ({ figures }) => figures.rawScore.low,
  rawHigh: ({ figures }) => figures.rawScore.high,
  rawN: ({ figures }) => figures.rawScore.n,
  ...Object.fromEntries(funnelColumns),
  warnings: ({ figures }) => figures.warnings.map(({ code }) => code).join(" "),
  speaksFor: ({ figures }) => figures.speaksFor,
  isPartial: ({ figures }) => "isPartial" in figures && figures.isPartial,
  timezone: (_, { timezone }) => timezone,
};

/** As RFC 4180 has it: a row per survey, whose `by` is empty, and one per group; a column per rating. */
export function resultsCsv(results: Results, by: Grouping | undefined): string {
  const lines = results.surveys.flatMap((survey): CsvLine[] => [
    { survey, figures: survey },
    ...survey.groups.map((group) => ({ survey, figures: group, key: group.key })),
  ]);
  const rows = lines.map((line) => Object.values(columns).map((valueOf) => valueOf(line, results, by)));
  // A negative NPS is no formula.
  const number = (value: number) => ({ value: String(value), escape_formulas: false });
  const cast = { number, boolean: String };
  return stringify([Object.keys(columns), ...rows], {
    cast,
    escape_formulas: true,
    record_delimiter: "windows",
  });
}
