import { isThumbs, ratingsOf, type SurveyType } from "@afterword/protocol";
import { type SurveyRecord } from "@afterword/reference-server/internal";
import { type DismissalTally, type Key } from "./store/results-reader.ts";
import { isCounted, noRuns, type CountedGroup } from "./counted-runs.ts";
import { type Funnel } from "./funnel.ts";
import { groupingName, isSpan, spanOf, spanStart, type Grouping } from "./groupings.ts";
import { score, scored, type Score } from "./score.ts";
import { speaksFor, warningsOf, type Warning } from "./warnings.ts";
import { type Tally } from "./tally.ts";
import { type Period } from "./period.ts";
import { weightedScore } from "./weights.ts";

export interface Figures {
  responses: number;
  /** How many people the responses are of; each one without a known person counts as one. */
  people: number;
  /** Responses without a known person. */
  withoutPerson: number;
  /** Dismissals are known per survey, day and week; null in any other group. */
  dismissals: number | null;
  /** Where runs are counted: answered / asked. Else responses / (responses + dismissals); null where these are not known. */
  answeredShare: number | null;
  /** Answers by rating; every rating of the scale is there. */
  distribution: Record<string, number>;
  /** The headline: weighted by runs where those are known and their weights differ, else the raw score. */
  score: Score;
  /** Each answer counts as one. */
  rawScore: Score;
  /** One sentence: which runs or people the score speaks for, and what that assumes. */
  speaksFor: string;
  /** Null in groups of which runs are not counted. */
  funnel: Funnel | null;
  /** What the score cannot carry. */
  warnings: Warning[];
}

export interface GroupResults extends Figures {
  /** The task type, the kind of identity, a version, stratum or fact, the day, or the Monday of the week such as `2026-11-16`; null without one. */
  key: string | null;
  /** When the first and the last response of a version was given; null in other groups. */
  firstAt: string | null;
  lastAt: string | null;
  /** Whether this is a day or week that the period has not all of, such as the running one. */
  isPartial: boolean;
}

export interface SurveyResults extends Figures {
  id: string;
  slug: string;
  type: SurveyType;
  /** Whether it asks for thumbs: its score is the share of up. */
  thumbs?: true;
  /** How many of the responses were imported. */
  imported: number;
  groups: GroupResults[];
}

type Sums = Omit<Tally, "surveyId" | "key" | "shared" | "firstAt" | "lastAt">;

export const noAnswers: Sums = {
  counts: [],
  imported: 0,
  withoutPerson: 0,
  sums: { people: 0, squaredWeights: 0, weightsTimesValues: 0, squaredValues: 0 },
  linearised: { people: 0, squares: 0 },
};

const total = (tallies: readonly { count: number }[]): number =>
  tallies.reduce((sum, { count }) => sum + count, 0);

/** What a group is, beside its answers. */
interface Surroundings {
  dismissals: number | null;
  /** Absent where runs are not counted, by this grouping. */
  counted?: CountedGroup;
  by?: Grouping;
  period: Period;
}

/** The headline and the raw score. */
export function scoresOf(type: SurveyType, tally: typeof noAnswers, counted: CountedGroup | undefined) {
  const raw = scored(type, tally);
  if (!counted?.isWeighted || typeof counted.weights !== "object") return { raw, headline: raw };
  return { raw, headline: weightedScore(type, counted.weights, tally.linearised) };
}

/** Whether the counts say how many of the runs that were asked about were answered; imported answers are in no count. */
export const countsAnswered = (funnel: Funnel | null): funnel is Funnel =>
  funnel !== null && funnel.runs > 0 && funnel.answered > 0 && funnel.answered <= funnel.asked;

function answeredShare(funnel: Funnel | null, responses: number, dismissals: number | null) {
  if (countsAnswered(funnel)) return funnel.answered / funnel.asked;
  return dismissals === null || responses + dismissals === 0 ? null : responses / (responses + dismissals);
}

function figures(type: SurveyType, tally: typeof noAnswers, surroundings: Surroundings): Figures {
  const { dismissals, counted, by, period } = surroundings;
  const { raw, headline } = scoresOf(type, tally, counted);
  const rawScore = score(type, raw);
  const { funnel = null, weights = { uncountedBy: by ? groupingName(by) : "" } } = counted ?? {};
  const withRun = typeof weights === "object" && "answers" in weights ? weights.answers : 0;
  const own = score(type, headline, counted?.isWeighted);
  const basis = { score: own, weights, funnel, withoutRun: rawScore.n - withRun, period };
  return {
    responses: rawScore.n,
    people: rawScore.people,
    withoutPerson: tally.withoutPerson,
    dismissals,
    answeredShare: answeredShare(funnel, rawScore.n, dismissals),
    distribution: Object.fromEntries(
      ratingsOf({ type }).map((rating) => [rating, tally.counts[rating] ?? 0]),
    ),
    score: own,
    rawScore,
    speaksFor: speaksFor(basis),
    funnel,
    warnings: warningsOf(basis),
  };
}

/** Whether a day or week begins before a period, or ends after it. */
function isPartialSpan(by: "day" | "week", number: number, { since, until, zone }: Period): boolean {
  const [begin, end] = [number, number + 1].map((one) => zone.startOf(spanStart(by, one)));
  return begin! < since || end! > until;
}

function nameOf(by: Grouping, key: string | number | null): string | null {
  if (key === null) return null;
  if (typeof by === "object") return String(JSON.parse(key as string));
  return isSpan(by) ? new Date(spanStart(by, key as number)).toISOString().slice(0, 10) : String(key);
}

const ordered: readonly Grouping[] = ["day", "week", "surveyVersion", "version"];
/** Version 10 comes after version 9. */
export const byName = new Intl.Collator("en", { numeric: true }).compare;

/** Groups in the order of weeks and versions, and others by their number of responses. */
function groupsOf(type: SurveyType, by: Grouping, own: Omit<Tallies, "whole" | "by">) {
  const { groups: tallies, dismissals: dismissed, counted, period } = own;
  const byKey = new Map(tallies.map((one) => [one.key, one]));
  const dismissedBy: ReadonlyMap<Key, DismissalTally[]> = isSpan(by)
    ? Map.groupBy(dismissed, ({ at }) => spanOf(by, at, period.zone))
    : new Map();
  // What has runs and no answers is there too.
  const withRuns = [...counted].flatMap(([key, { funnel }]) => (funnel.runs > 0 ? [key] : []));
  const keys = new Set<Key>([...byKey.keys(), ...dismissedBy.keys(), ...withRuns]);
  const groups = [...keys].map((key): GroupResults => {
    const tally = byKey.get(key);
    const timeOf = (at: number | undefined) =>
      by === "version" && at !== undefined ? new Date(at).toISOString() : null;
    return {
      key: nameOf(by, key),
      firstAt: timeOf(tally?.firstAt),
      lastAt: timeOf(tally?.lastAt),
      isPartial: isSpan(by) && isPartialSpan(by, key as number, period),
      ...figures(type, tally ?? noAnswers, {
        dismissals: isSpan(by) ? total(dismissedBy.get(key) ?? []) : null,
        counted: counted.get(key as string | null) ?? (isCounted(by) ? noRuns : undefined),
        by,
        period,
      }),
    };
  });
  return groups.sort((a, b) =>
    ordered.includes(by) ? byName(a.key ?? "", b.key ?? "") : b.responses - a.responses,
  );
}

export interface Tallies {
  /** The sums of the whole survey. */
  whole?: Sums;
  by?: Grouping;
  /** What `by` groups; empty without it. */
  groups: readonly Tally[];
  dismissals: readonly DismissalTally[];
  /** The groups whose runs are counted, by their key. */
  counted: ReadonlyMap<string | null, CountedGroup>;
  period: Period;
}

/** The results of one survey. @param all of its runs */
export function surveyResults(
  { id, slug, definition, definition: { type } }: SurveyRecord,
  all: CountedGroup,
  { whole = noAnswers, by, ...rest }: Tallies,
): SurveyResults {
  const { dismissals, period } = rest;
  return {
    id,
    slug,
    type,
    ...(isThumbs(definition) && { thumbs: true as const }),
    imported: whole.imported,
    ...figures(type, whole, { dismissals: total(dismissals), counted: all, period }),
    groups: by ? groupsOf(type, by, rest) : [],
  };
}
