import { type Project } from "@afterword/reference-server/internal";
import { askedFor, directionOf, doubt, fewestPeople, type Change } from "./changes.ts";
import { zonedText } from "./period.ts";
import {
  answersText,
  differenceIntervalText,
  differenceText,
  intervalText,
  isolated,
  pointsText,
  valueText,
  warningText,
} from "./results-text.ts";
import { fewestForAScore } from "./score.ts";
import { type Results, type ResultsQuery } from "./read-results.ts";
import { type SurveyResults } from "./survey-results.ts";

/** A survey as its first line shows it. */
export interface SurveyOverview {
  question: string;
  results: SurveyResults;
  /** Against the period before; absent without answers in both. */
  change?: Change;
}

export function overviewsOf(
  project: Project,
  { surveys, changes = [] }: Pick<Results, "surveys" | "changes">,
): SurveyOverview[] {
  return surveys.map((results) => {
    const { question } = project.surveys.find(({ id }) => id === results.id)!.definition;
    return { question, results, change: changes.find(({ id }) => id === results.id) };
  });
}

/** How a score moved against the period before, for those who decide. */
export interface Movement {
  /** `unclear`: by no more than chance can do. `unknown`: there is too little to compare. */
  direction: "down" | "up" | "unclear" | "unknown";
  words: string;
  /** The difference with its interval; empty where it is unknown. */
  detail: string;
}

export function movementOf(change: Change | undefined): Movement {
  const unknown = (words: string): Movement => ({ direction: "unknown", words, detail: "" });
  if (!change || change.to.score.n === 0) return unknown("No answers");
  const { from, to, difference: found, isDifferent } = change;
  if (from.score.n === 0) return unknown("No answers before");
  if (!found || fewestPeople(change) < fewestForAScore) return unknown("Too few people to compare");
  const { name } = to.score;
  const interval = `likely ${differenceIntervalText(name, found, "")}`;
  const why = doubt(change);
  if (!isDifferent)
    return {
      direction: "unclear",
      words: "No clear change",
      detail: `${differenceText(name, found.value)}, ${interval}${why && `, ${why}`}`,
    };
  const isUp = found.value > 0;
  const words = `${isUp ? "Up" : "Down"} ${pointsText(name, found.value)}`;
  return { direction: isUp ? "up" : "down", words, detail: interval };
}

/** What fell first, then what rose, then what did not. */
const order = ["down", "up", "unclear", "unknown"];

/** What needs a look comes first, and surveys without answers last. */
export function byUrgency<Overview extends SurveyOverview>(surveys: readonly Overview[]): Overview[] {
  const place = ({ change, results }: SurveyOverview) =>
    results.responses === 0 ? order.length : order.indexOf(movementOf(change).direction);
  return surveys.toSorted((one, other) => place(one) - place(other));
}

type Compared = Pick<SurveyOverview, "question" | "change">;

function moved({ question, change }: Compared, against: string | undefined): string[] {
  if (!change?.isDifferent) return [];
  const { from, to, difference } = change;
  const found = difference!;
  const points = pointsText(to.score.name, found.value);
  if (against === undefined) return [`“${question}” ${found.value > 0 ? "rose" : "fell"} by ${points}.`];
  const [one, other] = [isolated(to.name), isolated(from.name)];
  return [`“${question}” is ${directionOf(found)} by ${points} with ${one} than with ${other}.`];
}

const mostNamed = 3;

/**
 * What changed, in a few sentences: which scores fell, which rose, and how many did neither. It is about the comparison that
 * was asked for, or else about the period before.
 */
export function whatChanged(surveys: readonly SurveyOverview[], asked: ReturnType<typeof askedFor>): string {
  const questions = new Map(surveys.map(({ results, question }) => [results.id, question]));
  const all: readonly Compared[] = asked
    ? asked.changes.map((change) => ({ question: questions.get(change.id) ?? "", change }))
    : byUrgency(surveys).filter(({ results }) => results.responses > 0);
  const against = asked?.against;
  const isOfPeriods = against === undefined;
  if (all.length === 0 && isOfPeriods) return "No answers in this period.";
  const movements = all.map(({ change }) => movementOf(change).direction);
  const count = (wanted: Movement["direction"]) => movements.filter((one) => one === wanted).length;
  const [unclear, unknown] = [count("unclear"), count("unknown")];
  if (unknown === all.length)
    return `No comparison yet: there are too few answers, or none ${isOfPeriods ? "in the period before" : "on one side"}.`;
  const changed = all.flatMap((one) => moved(one, against));
  const sentences = changed.slice(0, mostNamed);
  const [change, differ] = isOfPeriods ? ["change", "changed"] : ["difference", "differ"];
  if (changed.length > mostNamed) sentences.push(`${changed.length - mostNamed} more ${differ}.`);
  const none = isOfPeriods ? "changed clearly" : `differs clearly from that of ${against}`;
  if (sentences.length === 0) sentences.push(`No score ${none}.`);
  else if (unclear > 0)
    sentences.push(`No clear ${change} in ${unclear === 1 ? "one other" : `${unclear} others`}.`);
  if (unknown > 0) sentences.push(`${unknown} of ${all.length} cannot be compared yet.`);
  return sentences.join(" ");
}

const signs = { down: "▼ ", up: "▲ ", unclear: "", unknown: "" };

/** A text as itself, on one line, whatever Markdown would make of it. */
const plain = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>#|~!]/g, "\\$&");

function line({ question, results, change }: SurveyOverview, isAsked: boolean): string {
  const { score, rawScore } = results;
  if (rawScore.n === 0) return `- **${plain(question)}** No answers.`;
  const { direction, words, detail } = movementOf(change);
  const warning = warningText(score);
  // The first of several differences: those that are found come first.
  const name = isAsked && change ? `${plain(isolated(change.to.name))}: ` : "";
  return `- **${plain(question)}** ${valueText(score)}${warning ? `, ${warning}` : `, likely ${intervalText(score)}`}. ${name}${signs[direction]}${words}${detail && ` (${detail})`}. ${answersText(rawScore)}.`;
}

/** The overview as Markdown that chats and issue trackers show. Without comments: what is posted, no erasure reaches. */
export function digest(project: Project, query: ResultsQuery, results: Results): string {
  const surveys = overviewsOf(project, results);
  const asked = askedFor(query, results.changes);
  return [
    `**${plain(project.name)}**, ${zonedText(query)}, against ${plain(asked?.against ?? "as much time before")}`,
    "",
    plain(whatChanged(surveys, asked)),
    "",
    ...byUrgency(surveys).map((one) => line(one, asked !== undefined)),
  ].join("\n");
}
