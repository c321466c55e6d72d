import { type SurveyRecord } from "../store/project.ts";
import { type Difference } from "../statistics/difference.ts";
import { holm } from "../statistics/holm.ts";
import { correlation, covariance, type SharedSums } from "../statistics/sample.ts";
import { type RatingValues, type ResultsReader, type ResultsSelection, type Sides } from "../store/store.ts";
import { difference } from "./difference.ts";
import { isolated } from "./isolated.ts";
import { fewestToTell, score, scored, type Score, type Scored } from "./score.ts";
import { answersText, differenceIntervalText, peopleText, pointsText, scoreText } from "./numbers.ts";
import { daysText } from "./times.ts";
import { noAnswers } from "./summary.ts";

/** Two periods, the selected one after the one of the same length before it; or two task types. */
export type Comparison = { kind: "previous" } | { kind: "taskTypes"; from: string; to: string };

export const previous: Comparison = { kind: "previous" };

export interface Change {
  id: string;
  /** Its slug. */
  survey: string;
  /** What the two groups are, such as `refund` and `invoice`. */
  from: { name: string; score: Score };
  to: { name: string; score: Score };
  /** `to` minus `from`, in the score's unit; absent without answers on both sides. */
  difference?: Difference;
  /** Whether the data tells the two apart at 5 %, all that are shown taken together (Holm). */
  isDifferent: boolean;
  words: string;
}

function overlapOf(first: Scored | undefined, second: Scored | undefined, shared: SharedSums | undefined) {
  if (!first || !second || !shared) return { people: 0, correlation: 0 };
  const inBoth = covariance(first.sample, second.sample, shared);
  return { people: shared.people, correlation: correlation(first.sample, second.sample, inBoth) };
}

interface Pair {
  names: [string, string];
  /** The period that holds both sides. */
  selection: ResultsSelection;
  sides: Sides;
}

function pairOf(selection: ResultsSelection, comparison: Comparison): Pair {
  if (comparison.kind === "taskTypes") {
    const { from, to } = comparison;
    return { names: [from, to], selection, sides: { from, to } };
  }
  const { since, until } = selection as Required<ResultsSelection>;
  const earliest = since - (until - since);
  return {
    names: [daysText({ since: earliest, until: since }), daysText({ since, until })],
    selection: { ...selection, since: earliest },
    sides: { since },
  };
}

/** Claims a difference only where the data shows one. */
function inWords({ from, to, difference: found, isDifferent }: Omit<Change, "words">): string {
  const { name } = to.score;
  if (!found) return `Too few people to compare ${isolated(from.name)} with ${isolated(to.name)}.`;
  const interval = `95 % interval of the difference: ${differenceIntervalText(name, found)}`;
  const side = ({ name: group, score: own }: Change["from"]) =>
    `${scoreText(name, own.value!)} (${isolated(group)}, ${answersText(own)})`;
  const values = `${side(from)} and ${side(to)}`;
  const fewest = Math.min(from.score.people, to.score.people);
  const warning = fewest < fewestToTell ? ` One side has only ${peopleText(fewest)}.` : "";
  if (!isDifferent)
    return `${name} ${values}: no difference that these answers can show. ${interval}.${warning}`;
  const direction = found.value > 0 ? "higher" : "lower";
  return `${name} ${values}: ${direction} by ${pointsText(name, found.value)}. ${interval}.${warning}`;
}

/** How to read several changes together; without a note for one of scores like those of its survey. */
export function notesOf(changes: readonly Change[], surveys: readonly { score: Score }[]): string[] {
  const all =
    changes.length > 1 ? [`All ${changes.length} are judged together at 5 %, by Holm's correction.`] : [];
  const isRaw = changes.every(({ from, to }) => !from.score.isWeighted && !to.score.isWeighted);
  const isOther = isRaw && surveys.some(({ score }) => score.isWeighted);
  return [...all, ...(isOther ? ["These are raw scores."] : [])];
}

/** Judges all differences that are shown together. */
export function judged(rows: readonly Omit<Change, "isDifferent" | "words">[]): Change[] {
  const isSignificant = holm(rows.flatMap((row) => row.difference?.probability ?? []));
  return rows.map((row) => {
    const change = { ...row, isDifferent: row.difference ? isSignificant.shift()! : false };
    return { ...change, words: inWords(change) };
  });
}

/** Compares each survey that has answers on either side; all of them are one family for Holm's correction. */
export async function changesOf(
  reader: ResultsReader,
  selected: ResultsSelection,
  surveys: readonly SurveyRecord[],
  values: RatingValues,
  comparison: Comparison,
): Promise<Change[]> {
  const { names, selection, sides } = pairOf(selected, comparison);
  const tallies = await reader.tally(selection, sides, values);
  const shared = await reader.shared(selection, sides, values);
  const rows = surveys.flatMap(({ id, slug, definition: { type } }) => {
    const ofSide = (side: number) =>
      tallies.find(({ surveyId, key }) => surveyId === id && key === side) ?? noAnswers;
    const [before, after] = [ofSide(0), ofSide(1)];
    if (before === noAnswers && after === noAnswers) return [];
    const [first, second] = [scored(type, before), scored(type, after)];
    const overlap = overlapOf(
      first,
      second,
      shared.find(({ surveyId }) => surveyId === id),
    );
    return [
      {
        id,
        survey: slug,
        from: { name: names[0], score: score(type, first) },
        to: { name: names[1], score: score(type, second) },
        difference: difference(type, first, second, overlap),
      },
    ];
  });
  return judged(rows);
}
