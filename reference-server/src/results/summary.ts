import { ratingScales, type SurveyType } from "@afterword/protocol";
import { type SurveyRecord } from "../store/project.ts";
import { firstMonday, weekInMs, type DismissalTally, type Tally } from "../store/store.ts";
import { type Grouping } from "./groupings.ts";
import { score, type Distribution, type Score } from "./score.ts";

interface Figures {
  responses: number;
  /** Dismissals are known per survey and per week; null in any other group. */
  dismissals: number | null;
  /** responses / (responses + dismissals); null where dismissals are, or where there are neither. */
  answeredShare: number | null;
  /** Answers by rating; every rating of the scale is there. */
  distribution: Record<string, number>;
  score: Score;
}

export interface GroupResults extends Figures {
  /** The task type, the kind of identity, the version, or the Monday of the week such as `2026-11-16`; null without one. */
  key: string | null;
}

export interface SurveyResults extends Figures {
  id: string;
  slug: string;
  type: SurveyType;
  /** How many of the responses were imported. */
  imported: number;
  groups: GroupResults[];
}

const total = (tallies: readonly { count: number }[]): number =>
  tallies.reduce((sum, { count }) => sum + count, 0);

export function distributionOf(tallies: readonly Tally[]): Distribution {
  const counts = new Map<number, number>();
  for (const { rating, count } of tallies) counts.set(rating, (counts.get(rating) ?? 0) + count);
  return counts;
}

function figures(type: SurveyType, tallies: readonly Tally[], dismissals: number | null): Figures {
  const { min, max } = ratingScales[type];
  const ratings = distributionOf(tallies);
  const scale = Array.from({ length: max - min + 1 }, (_, index) => min + index);
  const responses = total(tallies);
  const asked = responses + (dismissals ?? 0);
  return {
    responses,
    dismissals,
    answeredShare: dismissals === null || asked === 0 ? null : responses / asked,
    distribution: Object.fromEntries(scale.map((rating) => [rating, ratings.get(rating) ?? 0])),
    score: score(type, ratings),
  };
}

const weekOf = (week: number): string => new Date(firstMonday + week * weekInMs).toISOString().slice(0, 10);

/** Groups in the order of weeks and versions, and others by their number of responses. */
function groupsOf(
  type: SurveyType,
  by: Grouping,
  tallies: readonly Tally[],
  dismissed: readonly DismissalTally[],
) {
  const isWeek = by === "week";
  const keys = new Set([
    ...tallies.map(({ key }) => key),
    ...(isWeek ? dismissed.map(({ week }) => week) : []),
  ]);
  const groups = [...keys].map((key) => {
    const dismissals = isWeek ? total(dismissed.filter(({ week }) => week === key)) : null;
    const name = key === null ? null : isWeek ? weekOf(key as number) : String(key);
    const own = tallies.filter((tally) => tally.key === key);
    return { order: key, group: { key: name, ...figures(type, own, dismissals) } };
  });
  const isOrdered = isWeek || by === "surveyVersion";
  groups.sort((a, b) =>
    isOrdered ? Number(a.order) - Number(b.order) : b.group.responses - a.group.responses,
  );
  return groups.map(({ group }) => group);
}

/** The results of one survey from the counts of all; `by` is what the tallies were grouped by. */
export function surveyResults(
  { id, slug, definition: { type } }: SurveyRecord,
  by: Grouping | undefined,
  allTallies: readonly Tally[],
  allDismissals: readonly DismissalTally[],
): SurveyResults {
  const tallies = allTallies.filter(({ surveyId }) => surveyId === id);
  const dismissed = allDismissals.filter(({ surveyId }) => surveyId === id);
  return {
    id,
    slug,
    type,
    imported: total(tallies.filter(({ source }) => source === "imported")),
    ...figures(type, tallies, total(dismissed)),
    groups: by ? groupsOf(type, by, tallies, dismissed) : [],
  };
}
