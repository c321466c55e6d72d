import { type SurveyRecord } from "../store/project.ts";
import { type ResultsReader, type ResultsSelection, type Tally } from "../store/store.ts";
import { difference, holm, type Difference } from "./difference.ts";
import { fewestToTell, score, type Score } from "./score.ts";
import { scoreText } from "./numbers.ts";
import { distributionOf } from "./summary.ts";

/** Two periods, the selected one after the one of the same length before it; or two task types. */
export type Comparison = { kind: "previous" } | { kind: "taskTypes"; from: string; to: string };

export interface Change {
  survey: string;
  /** What the two groups are, such as `refund` and `invoice`. */
  from: { name: string; score: Score };
  to: { name: string; score: Score };
  /** `to` minus `from`, in the score's unit; absent without answers on both sides. */
  difference?: Difference;
  /** Whether the data tells the two apart at 5 %, all surveys of the comparison taken together (Holm). */
  isDifferent: boolean;
  words: string;
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const periodName = (since: number, until: number): string => `${day(since)} to ${day(until - 1)}`;

interface Side {
  name: string;
  tallies: readonly Tally[];
}

async function sidesOf(
  reader: ResultsReader,
  selection: ResultsSelection,
  comparison: Comparison,
): Promise<[Side, Side]> {
  if (comparison.kind === "taskTypes") {
    const tallies = await reader.tally(selection, "taskType");
    const of = (name: string) => ({ name, tallies: tallies.filter(({ key }) => key === name) });
    return [of(comparison.from), of(comparison.to)];
  }
  const { since, until } = selection as Required<ResultsSelection>;
  const earlier = { ...selection, since: since - (until - since), until: since };
  return [
    { name: periodName(earlier.since, since), tallies: await reader.tally(earlier, "none") },
    { name: periodName(since, until), tallies: await reader.tally(selection, "none") },
  ];
}

/** Claims a difference only where the data shows one. */
function inWords({ from, to, difference: found, isDifferent }: Omit<Change, "words">): string {
  const { name } = to.score;
  if (!found) return `Too few answers to compare ${from.name} with ${to.name}.`;
  const told = (value: number) => scoreText(name, value);
  const interval = `95 % interval of the difference: ${told(found.low)} to ${told(found.high)}`;
  const values = `${told(from.score.value!)} (${from.name}) and ${told(to.score.value!)} (${to.name})`;
  const fewest = Math.min(from.score.n, to.score.n);
  const warning = fewest < fewestToTell ? ` One side has only ${fewest} answers.` : "";
  if (!isDifferent)
    return `${name} ${values}: no difference that these answers can show. ${interval}.${warning}`;
  const direction = found.value > 0 ? "higher" : "lower";
  return `${name} ${values}: ${direction} by ${told(Math.abs(found.value))}. ${interval}.${warning}`;
}

/** Compares each survey that has answers on either side; all of them are one family for Holm's correction. */
export async function changesOf(
  reader: ResultsReader,
  selection: ResultsSelection,
  surveys: readonly SurveyRecord[],
  comparison: Comparison,
): Promise<Change[]> {
  const [from, to] = await sidesOf(reader, selection, comparison);
  const rows = surveys.flatMap(({ id, slug, definition: { type } }) => {
    const [before, after] = [from, to].map(({ tallies }) =>
      distributionOf(tallies.filter(({ surveyId }) => surveyId === id)),
    );
    if (before!.size + after!.size === 0) return [];
    return [
      {
        survey: slug,
        from: { name: from.name, score: score(type, before!) },
        to: { name: to.name, score: score(type, after!) },
        difference: difference(type, before!, after!),
      },
    ];
  });
  const isSignificant = holm(rows.flatMap((row) => row.difference?.probability ?? []));
  return rows.map((row) => {
    const told = { ...row, isDifferent: row.difference ? isSignificant.shift()! : false };
    return { ...told, words: inWords(told) };
  });
}
