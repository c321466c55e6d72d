import { type Change } from "./changes.ts";
import { differenceIntervalText, differenceText, pointsText } from "./results-text.ts";
import { fewestForAScore } from "./score.ts";
import { type SurveyOverview } from "./read-report.ts";

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
  const fewest = Math.min(from.score.people, to.score.people);
  if (!found || fewest < fewestForAScore) return unknown("Too few people to compare");
  const { name } = to.score;
  const interval = `likely ${differenceIntervalText(name, found, "")}`;
  if (!isDifferent)
    return {
      direction: "unclear",
      words: "No clear change",
      detail: `${differenceText(name, found.value)}, ${interval}`,
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

function moved({ question, change }: SurveyOverview): string[] {
  const { direction } = movementOf(change);
  if (direction !== "up" && direction !== "down") return [];
  const { to, difference } = change!;
  return [
    `“${question}” ${direction === "up" ? "rose" : "fell"} by ${pointsText(to.score.name, difference!.value)}.`,
  ];
}

const mostNamed = 3;

/** What a period says, in a few sentences: which scores fell, which rose, and how many did neither. */
export function verdict(surveys: readonly SurveyOverview[]): string {
  const answered = surveys.filter(({ results }) => results.responses > 0);
  if (answered.length === 0) return "No answers in this period.";
  const movements = answered.map(({ change }) => movementOf(change).direction);
  const count = (wanted: Movement["direction"]) => movements.filter((one) => one === wanted).length;
  const [unclear, unknown] = [count("unclear"), count("unknown")];
  if (unknown === answered.length)
    return "No comparison yet: there are too few answers, or none in the period before.";
  const all = byUrgency(answered).flatMap(moved);
  const sentences = all.slice(0, mostNamed);
  if (all.length > mostNamed) sentences.push(`${all.length - mostNamed} more changed.`);
  if (sentences.length === 0) sentences.push("No score changed clearly.");
  else if (unclear > 0)
    sentences.push(`No clear change in ${unclear === 1 ? "one other" : `${unclear} others`}.`);
  if (unknown > 0) sentences.push(`${unknown} of ${answered.length} cannot be compared yet.`);
  return sentences.join(" ");
}
