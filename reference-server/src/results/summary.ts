import { ratingScales, type SurveyType } from "@afterword/protocol";
import { type SurveyRecord } from "../store/project.ts";
import { firstMonday, weekInMs, type DismissalTally, type Tally } from "../store/store.ts";
import { type Grouping } from "./groupings.ts";
import { score, scored, type Score } from "./score.ts";

interface Figures {
  responses: number;
  /** How many people the responses are of; each one without a known person counts as one. */
  people: number;
  /** Responses without a known person. */
  withoutPerson: number;
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

export const noAnswers: Omit<Tally, "surveyId" | "key"> = {
  counts: [],
  imported: 0,
  withoutPerson: 0,
  people: { people: 0, squaredWeights: 0, weightsTimesValues: 0, squaredValues: 0 },
};

const total = (tallies: readonly { count: number }[]): number =>
  tallies.reduce((sum, { count }) => sum + count, 0);

function figures(type: SurveyType, tally: typeof noAnswers, dismissals: number | null): Figures {
  const { min, max } = ratingScales[type];
  const scale = Array.from({ length: max - min + 1 }, (_, index) => min + index);
  const own = score(type, scored(type, tally));
  const asked = own.n + (dismissals ?? 0);
  return {
    responses: own.n,
    people: own.people,
    withoutPerson: tally.withoutPerson,
    dismissals,
    answeredShare: dismissals === null || asked === 0 ? null : own.n / asked,
    distribution: Object.fromEntries(scale.map((rating) => [rating, tally.counts[rating] ?? 0])),
    score: own,
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
    const own = tallies.find((tally) => tally.key === key) ?? noAnswers;
    return { order: key, group: { key: name, ...figures(type, own, dismissals) } };
  });
  const isOrdered = isWeek || by === "surveyVersion";
  groups.sort((a, b) =>
    isOrdered ? Number(a.order) - Number(b.order) : b.group.responses - a.group.responses,
  );
  return groups.map(({ group }) => group);
}

export interface Tallies {
  /** One per survey. */
  whole: readonly Tally[];
  by?: Grouping;
  /** What `by` groups; empty without it. */
  groups: readonly Tally[];
  dismissals: readonly DismissalTally[];
}

/** The results of one survey from the counts of all. */
export function surveyResults(
  { id, slug, definition: { type } }: SurveyRecord,
  { whole, by, groups, dismissals }: Tallies,
): SurveyResults {
  const tally = whole.find(({ surveyId }) => surveyId === id) ?? noAnswers;
  const own = groups.filter(({ surveyId }) => surveyId === id);
  const dismissed = dismissals.filter(({ surveyId }) => surveyId === id);
  return {
    id,
    slug,
    type,
    imported: tally.imported,
    ...figures(type, tally, total(dismissed)),
    groups: by ? groupsOf(type, by, own, dismissed) : [],
  };
}
