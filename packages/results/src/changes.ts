import { type SurveyRecord } from "@afterword/reference-server/internal";
import { type Key } from "./store/results-reader.ts";
import { type Difference, holm, type Overlap } from "./statistics/difference.ts";
import { linearisedCovariance, type Linearisation } from "./statistics/poststratification.ts";
import { correlation } from "./statistics/sample.ts";
import { type Answers, type Cell } from "./answers.ts";
import { scores } from "./ratings.ts";
import { difference, fewestForAScore, score, type Score, type Scored } from "./score.ts";
import {
  answersText,
  differenceIntervalText,
  isolated,
  peopleText,
  pointsText,
  scoreText,
} from "./results-text.ts";
import { tally, type Grouping, type RatingValues } from "./tally.ts";

/** Two periods, the selected one after the one of the same length before it; or two task types. */
export type Comparison = { kind: "previous" } | { kind: "taskTypes"; from: string; to: string };

export const previous: Comparison = { kind: "previous" };

/** The changes that were asked for, with what they go against, such as `version 2.4`; absent for the period before. */
export function askedFor(
  { baseline, compare }: { baseline?: string; compare?: Comparison },
  changes: readonly Change[] = [],
) {
  if (baseline !== undefined) return { against: `version ${isolated(baseline)}`, changes };
  return compare?.kind === "taskTypes" ? { against: isolated(compare.from), changes } : undefined;
}

export interface Change {
  id: string;
  /** Its slug. */
  survey: string;
  /** What the two groups are, such as `refund` and `invoice`. */
  from: { name: string; score: Score };
  to: { name: string; score: Score };
  /** `to` minus `from`, in the score's unit; absent without answers on both sides. */
  difference?: Difference;
  /** Whether a test of all that are shown together (Holm) tells the two apart at 5 %, and so do interval and people. */
  isDifferent: boolean;
  words: string;
}

type Judged = Omit<Change, "words">;

/** The people of the side that has fewer. */
export const fewestPeople = ({ from, to }: Pick<Change, "from" | "to">): number =>
  Math.min(from.score.people, to.score.people);

const leavesOutZero = ({ low, high }: Difference): boolean => low > 0 || high < 0;

/** Why an interval without 0 does not show a difference; empty for any other. */
export function doubt({ difference: found, isDifferent }: Judged): string {
  if (!found || isDifferent || !leavesOutZero(found)) return "";
  return "too close to 0 for a test of all differences shown (Holm's correction)";
}

/** Claims a difference only where the data shows one. */
function inWords(change: Judged): string {
  const { from, to, difference: found, isDifferent } = change;
  const { name } = to.score;
  const { title } = scores[name];
  if (!found) return `Too few people to compare ${isolated(from.name)} with ${isolated(to.name)}.`;
  const interval = `95 % interval of the difference: ${differenceIntervalText(name, found)}`;
  const side = ({ name: group, score: own }: Change["from"]) =>
    `${scoreText(name, own.value!)} (${isolated(group)}, ${answersText(own)})`;
  const values = `${side(from)} and ${side(to)}`;
  const fewest = fewestPeople(change);
  if (fewest < fewestForAScore)
    return `${title} ${values}: too few people to tell. ${interval}. One side has only ${peopleText(fewest)}.`;
  const why = doubt(change);
  if (!isDifferent)
    return `${title} ${values}: no difference that these answers can show. ${interval}${why && `, ${why}`}.`;
  return `${title} ${values}: ${directionOf(found)} by ${pointsText(name, found.value)}. ${interval}.`;
}

export const directionOf = ({ value }: Difference) => (value > 0 ? "higher" : "lower");

/** How to read several changes together; without a note for one of scores like those of its survey. */
export function notesOf(changes: readonly Change[], surveys: readonly { score: Score }[]): string[] {
  const all =
    changes.length > 1 ? [`All ${changes.length} are judged together at 5 %, by Holm's correction.`] : [];
  const isRaw = changes.every(({ from, to }) => !from.score.isWeighted && !to.score.isWeighted);
  const isOther = isRaw && surveys.some(({ score }) => score.isWeighted);
  return [...all, ...(isOther ? ["These are raw scores."] : [])];
}

/** Judges all differences that are shown together; those that are found come first. */
function judged(rows: readonly Omit<Judged, "isDifferent">[]): Change[] {
  const isSignificant = holm(rows.flatMap((row) => row.difference?.probability ?? []));
  const changes = rows.map((row) => {
    const { difference: found } = row;
    const isFound = found !== undefined && isSignificant.shift()! && leavesOutZero(found);
    const isDifferent = isFound && fewestPeople(row) >= fewestForAScore;
    const change = { ...row, isDifferent };
    return { ...change, words: inWords(change) };
  });
  return changes.toSorted((one, other) => Number(other.isDifferent) - Number(one.isDifferent));
}

/** A group as it is compared. */
export interface Side {
  name: string;
  scored: Scored | undefined;
  isWeighted: boolean;
  /** What an answer adds to the sum of its person, whose square adds to the variance of the score. */
  residualOf(cell: Cell, isOfRun: boolean): Linearisation | undefined;
}

/** A side in which each answer counts as one. */
export function rawSide(name: string, scored: Scored | undefined): Side {
  const residual = scored && { factor: 1 / scored.sample.answers, mean: scored.sample.mean };
  return { name, scored, isWeighted: false, residualOf: () => residual };
}

/** The groups of a survey by their keys. */
export interface Compared {
  survey: SurveyRecord;
  sides: ReadonlyMap<Key, Side>;
}

const noSide = rawSide("", undefined);
const noOverlap: Overlap = { people: 0, correlation: 0 };

/** The people who answered on both sides make the scores go together. */
function overlapOf(from: Side, to: Side, shared: { people: number; products: number } | undefined): Overlap {
  if (!from.scored || !to.scored || !shared) return noOverlap;
  const [first, second] = [from.scored.sample, to.scored.sample];
  const inBoth = linearisedCovariance(first, second, shared.products);
  return { people: shared.people, correlation: correlation(first, second, inBoth) };
}

/**
 * Compares the groups of each survey with the one that has the key `baseline`; all differences are one family for Holm's
 * correction.
 */
export function changesFrom(
  baseline: Key,
  compared: readonly Compared[],
  { answers, values }: { answers: Answers; values: RatingValues },
  { keyOf, isByTime }: Grouping,
): Change[] {
  const sidesOf = new Map(compared.map(({ survey, sides }) => [survey.id, sides]));
  const tallies = tally(answers, values, {
    isByTime,
    baseline,
    keyOf(cell, at) {
      const key = keyOf(cell, at);
      return key !== undefined && sidesOf.get(cell.surveyId)?.has(key) ? key : undefined;
    },
    residualOf: (cell, key, isOfRun) => sidesOf.get(cell.surveyId)?.get(key)?.residualOf(cell, isOfRun),
  });
  const isAnswered = ({ sides }: Compared) => [...sides.values()].some((side) => side.scored);
  const rows = compared.filter(isAnswered).flatMap(({ survey: { id, slug, definition }, sides }) => {
    const { type } = definition;
    const from = sides.get(baseline) ?? noSide;
    const sideOf = ({ name, scored, isWeighted }: Side) => ({
      name,
      score: score(definition, scored, isWeighted),
    });
    const others = [...sides].filter(([key]) => key !== baseline);
    return others.map(([key, to]) => {
      const own = tallies.find((one) => one.surveyId === id && one.key === key);
      const overlap = overlapOf(from, to, own?.shared);
      const found = difference(type, from.scored, to.scored, overlap);
      return { id, survey: slug, from: sideOf(from), to: sideOf(to), difference: found };
    });
  });
  return judged(rows);
}
