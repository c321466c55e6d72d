import { isThumbs, ratingsOf, type SurveyType } from "@afterword/protocol";
import { type RatedSurvey } from "@afterword/protocol/rating-scale";
import { type SurveyRecord } from "@afterword/reference-server/internal";
import { type DismissalTally, type Key } from "./store/results-reader.ts";
import { type Reading } from "./answered-period.ts";
import { isCounted, noRuns, scoresOf, type CountedGroup } from "./counted-runs.ts";
import { type Funnel } from "./funnel.ts";
import { groupingName, isSpan, spanOf, spanStart, type Grouping } from "./groupings.ts";
import { score, type Score } from "./score.ts";
import { speaksFor, warningsOf, type Warning } from "./warnings.ts";
import { noAnswers, type Sums } from "./tally.ts";
import { type Period } from "./period.ts";

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

const total = (tallies: readonly { count: number }[]): number =>
  tallies.reduce((sum, { count }) => sum + count, 0);

/** What a group is, beside its answers; `counted` is absent where runs are not counted, by this grouping. */
type Surroundings = { dismissals: number | null; counted?: CountedGroup; by?: Grouping; period: Period };

/** Whether the counts say how many of the runs that were asked about were answered; imported answers are in no count. */
export const countsAnswered = (funnel: Funnel | null): funnel is Funnel =>
  funnel !== null && funnel.runs > 0 && funnel.answered > 0 && funnel.answered <= funnel.asked;

function answeredShare(funnel: Funnel | null, responses: number, dismissals: number | null) {
  if (countsAnswered(funnel)) return funnel.answered / funnel.asked;
  return dismissals === null || responses + dismissals === 0 ? null : responses / (responses + dismissals);
}

function figures(survey: RatedSurvey, tally: Sums, surroundings: Surroundings): Figures {
  const { dismissals, counted, by, period } = surroundings;
  const { type } = survey;
  const { raw, headline } = scoresOf(type, tally, counted);
  const rawScore = score(survey, raw);
  const { funnel = null, weights = { uncountedBy: by ? groupingName(by) : "" } } = counted ?? {};
  const withRun = typeof weights === "object" && "answers" in weights ? weights.answers : 0;
  const own = score(survey, headline, counted?.isWeighted);
  const basis = { score: own, weights, funnel, withoutRun: rawScore.n - withRun, period };
  return {
    responses: rawScore.n,
    people: rawScore.people,
    withoutPerson: tally.withoutPerson,
    dismissals,
    answeredShare: answeredShare(funnel, rawScore.n, dismissals),
    distribution: Object.fromEntries(ratingsOf({ type }).map((rating) => [rating, tally.counts[rating]!])),
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
function groupsOf(
  { id, definition }: SurveyRecord,
  by: Grouping,
  { answered, dismissals, selection: period }: Reading,
) {
  const own = answered.tallies(by).filter(({ surveyId }) => surveyId === id);
  const counted = (isCounted(by) && answered.runs.groups(by).get(id)) || new Map<Key, CountedGroup>();
  const byKey = new Map(own.map((one) => [one.key, one]));
  const dismissedBy: ReadonlyMap<Key, DismissalTally[]> = isSpan(by)
    ? Map.groupBy(dismissals, ({ at }) => spanOf(by, at, period.zone))
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
      ...figures(definition, tally ?? noAnswers, {
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

/** The results of one survey, and of its groups where `by` names some. */
export function surveyResults(
  survey: SurveyRecord,
  by: Grouping | undefined,
  reading: Reading,
): SurveyResults {
  const { id, slug, definition } = survey;
  const { answered, selection: period } = reading;
  const dismissals = reading.dismissals.filter(({ surveyId }) => surveyId === id);
  const whole = answered.tallies("none").find(({ surveyId }) => surveyId === id) ?? noAnswers;
  const counted = answered.runs.groups("none").get(id)!.get(null)!;
  return {
    id,
    slug,
    type: definition.type,
    ...(isThumbs(definition) && { thumbs: true as const }),
    imported: whole.imported,
    ...figures(definition, whole, { dismissals: total(dismissals), counted, period }),
    groups: by ? groupsOf(survey, by, { ...reading, dismissals }) : [],
  };
}
