import { type Zone } from "./zone.ts";
import { fewestForAScore, type Score } from "./score.ts";

/** With the sign that typography has for minus. */
const fixed = (value: number, digits: number): string => value.toFixed(digits).replace("-", "\u2212");
const percent = (share: number): string => `${fixed(share * 100, 1)} %`;

/** A value of a score as people read it: `12.3`, `84.2 %` or `5.61`. */
export function scoreText(name: Score["name"], value: number): string {
  if (name === "NPS") return fixed(value, 1);
  return name === "CES" ? fixed(value, 2) : percent(value);
}

const numberText = (name: Score["name"], value: number): string => scoreText(name, value).replace(" %", "");

/** The unit of a difference, with a space before it; CES has none. */
const unitText = (name: Score["name"]): string => {
  if (name === "CES") return "";
  return name === "NPS" ? " points" : " percentage points";
};

/** A difference without its direction: `4.2 points`, `6.2 percentage points`. */
export const pointsText = (name: Score["name"], difference: number): string =>
  numberText(name, Math.abs(difference)) + unitText(name);

/** `+0.8`; also `+0.0` for less than it shows. */
export const differenceText = (name: Score["name"], difference: number): string =>
  (difference > 0 ? "+" : "") + numberText(name, difference);

/** `−2.1 to +3.7 points`. */
export const differenceIntervalText = (
  name: Score["name"],
  { low, high }: { low: number; high: number },
  unit = unitText(name),
): string => `${differenceText(name, low)} to ${differenceText(name, high)}${unit}`;

/** `NPS 12.3`, `84.2 % up`, or a dash without answers. */
export function valueText({ name, value }: Score): string {
  if (value === null) return "–";
  return name === "up" ? `${scoreText(name, value)} up` : `${name} ${scoreText(name, value)}`;
}

/** `8.1 to 16.5`; empty without answers. */
export const intervalText = ({ name, low, high }: Score): string =>
  low === null || high === null ? "" : `${scoreText(name, low)} to ${scoreText(name, high)}`;

/** The warning beside a number that comes from few people; empty beside any other. */
export const warningText = ({ people }: Score): string =>
  people > 0 && people < fewestForAScore ? "too few to tell" : "";

export const shareText = (share: number | null): string => (share === null ? "–" : percent(share));

export const countText = (number: number): string => number.toLocaleString("en");

/** `2026-11-22 18:30 UTC`. */
export const minuteText = (at: number, zone: Zone): string =>
  `${new Date(zone.local(at)).toISOString().slice(0, 16).replace("T", " ")} ${zone.name}`;

/** `1 answer`, `412 answers`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${countText(number)} ${number === 1 ? one : many}`;

export const peopleText = (people: number): string => counted(people, "person", "people");

/** `412 answers of 61 people`. */
export const answersText = ({ n, people }: Score): string =>
  `${counted(n, "answer")} of ${peopleText(people)}`;

/** That answers without a known person are counted as people; empty if there are none. */
export function withoutPersonText(answers: number): string {
  if (answers === 0) return "";
  if (answers === 1) return "1 answer has no known person and counts as one person";
  return `${countText(answers)} answers have no known person and count as one person each`;
}

const isolates = /[\u2066-\u2069]/g;
const directional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * A text that its reader did not write, for a line with other texts. Characters of its own that change the direction, such
 * as U+202E, end with it (UAX #9): FSI and PDI are put around it, and isolates inside, which could end those, are removed.
 * A text without such characters is not changed.
 */
export function isolated(text: string): string {
  return directional.test(text) ? `\u2068${text.replaceAll(isolates, "")}\u2069` : text;
}
