import { type SurveyType } from "@afterword/protocol";
import { UsageError } from "../domain/usage-error.ts";
import { type Service } from "../domain/service.ts";
import { boundsOf, firstBelow, sampleInOrder, sequenceOf, type Bounds } from "../statistics/betting.ts";
import { type SurveyRecord } from "../store/project.ts";
import { type MeasuredAnswer } from "../store/store.ts";
import { minuteText } from "./numbers.ts";
import { ratingValues, scaleOf, scoreNames, scoreRanges, type ScoreName } from "./score.ts";

/** What is compared. Times are milliseconds since 1970. */
export interface WatchQuery {
  /** How long before the answers that are watched the baseline begins. */
  baselineInMs: number;
  /** Default: the version with the latest first answer. */
  version?: string;
  /** Compares by time, whatever the version. Default: the first answer of the version. */
  from?: number;
  /** Only runs of this stratum of the survey's sampling. */
  stratum?: string;
}

/** A score on its usual scale; its bounds are those of the scale as long as there are no answers. */
export interface WatchedSide extends Bounds {
  value: number | null;
  people: number;
}

export interface WatchedScore {
  name: ScoreName;
  /** Absent when compared by time. */
  version?: string;
  /** When the baseline ends and watching begins. */
  from: number;
  score: WatchedSide;
  baseline: WatchedSide;
  /** When the upper bound of the score fell below the lower bound of the baseline; absent until then. */
  droppedAt?: number;
}

/** Each bound is wrong with this probability, which makes 5 % for a pair of them. */
const errorOfBound = 0.025;
/** A year of watching, and what comes before it. */
const searchedInMs = 400 * 86_400_000;
/** Of each side. What is known after them stays true. */
const mostAnswers = 100_000;
const mostVersionsTold = 10;

/** The first answer of each person, as numbers from 0 to 1. */
class FirstAnswers {
  readonly values: number[] = [];
  readonly times: number[] = [];
  readonly #people = new Set<string>();
  #answers = 0;

  get isFull(): boolean {
    return this.#answers >= mostAnswers;
  }

  /** An answer without a known person is of a person of its own. */
  add({ respondentId, at }: MeasuredAnswer, value: number): void {
    if (this.isFull) return;
    this.#answers += 1;
    if (respondentId !== null && this.#people.has(respondentId)) return;
    if (respondentId !== null) this.#people.add(respondentId);
    this.values.push(value);
    this.times.push(at);
  }
}

type Read = (since: number) => AsyncIterable<MeasuredAnswer>;

/** When each version had its first answer; the newest is the last. */
async function versionsIn(answers: AsyncIterable<MeasuredAnswer>): Promise<Map<string, number>> {
  const firstAt = new Map<string, number>();
  for await (const { version, at } of answers)
    if (version !== undefined && !firstAt.has(version)) firstAt.set(version, at);
  return firstAt;
}

/** @throws UsageError when there is no such version, or none at all */
async function watchedVersion(read: Read, slug: string, wanted: string | undefined, now: number) {
  const firstAt = await versionsIn(read(now - searchedInMs));
  const version = wanted ?? [...firstAt.keys()].at(-1);
  if (version === undefined)
    throw new UsageError(
      `No answers to "${slug}" have a version: pass run.version at mint, or compare by time with --from.`,
    );
  const from = firstAt.get(version);
  if (from !== undefined) return { version, from };
  const known = [...firstAt.keys()].slice(-mostVersionsTold).join(", ") || "none yet";
  throw new UsageError(`There are no answers to "${slug}" of version "${version}". Versions: ${known}.`);
}

/** Reads both sides; without a version all answers before and from the moment on. */
async function sidesOf(read: Read, type: SurveyType, { version, from, since }: Period) {
  const [least, most] = scoreRanges[scoreNames[type]];
  const [baseline, watched] = [new FirstAnswers(), new FirstAnswers()];
  for await (const answer of read(since)) {
    const isVersion = answer.version === version;
    const isBefore = answer.at < from;
    const isOther = answer.version !== undefined && !isVersion;
    const value = (ratingValues[type][answer.rating]! * scaleOf(type) - least) / (most - least);
    if (isBefore && (version === undefined || isOther)) baseline.add(answer, value);
    if (!isBefore && (version === undefined || isVersion)) watched.add(answer, value);
    if (watched.isFull) break;
  }
  return { baseline, watched };
}

interface Period {
  version?: string;
  from: number;
  since: number;
}

function sideOf({ values }: FirstAnswers, bounds: Bounds, name: ScoreName): WatchedSide {
  const [least, most] = scoreRanges[name];
  const onScale = (value: number) => least + value * (most - least);
  const people = values.length;
  const value = people === 0 ? null : onScale(values.reduce((sum, one) => sum + one, 0) / people);
  return { value, low: onScale(bounds.low), high: onScale(bounds.high), people };
}

/**
 * Compares the score since a version's first answer, or since a moment, with a baseline that is frozen then. The bounds of
 * the score hold at all times at once, so that it may be watched every minute: "dropped" is wrong for at most 5 % of the
 * comparisons, however often they are looked at.
 * @throws UsageError without answers to compare
 */
export async function watchedScore(
  { store, clock }: Service,
  projectId: string,
  { id: surveyId, definition: { slug, type } }: SurveyRecord,
  query: WatchQuery,
): Promise<WatchedScore> {
  const read: Read = async function* (since) {
    for await (const answer of store.administration.measuredAnswers({ projectId, surveyId, since }))
      if (query.stratum === undefined || answer.stratum === query.stratum) yield answer;
  };
  const { version, from } =
    query.from === undefined
      ? await watchedVersion(read, slug, query.version, clock.now())
      : { version: undefined, from: query.from };
  const since = from - query.baselineInMs;
  const { baseline, watched } = await sidesOf(read, type, { version, from, since });
  if (baseline.values.length === 0) {
    const others = version === undefined ? "" : ` of versions other than "${version}"`;
    throw new UsageError(
      `There are no answers to "${slug}"${others} from ${minuteText(since)} to ${minuteText(from)}: ` +
        "pass a longer --baseline, another --run-version or another --from.",
    );
  }
  const name = scoreNames[type];
  const bounds = boundsOf(sampleInOrder(baseline.values, errorOfBound));
  const sequence = sequenceOf(watched.values, errorOfBound);
  const dropped = firstBelow(sequence, bounds.low);
  return {
    name,
    version,
    from,
    score: sideOf(watched, boundsOf(sequence), name),
    baseline: sideOf(baseline, bounds, name),
    droppedAt: dropped === undefined ? undefined : watched.times[dropped],
  };
}
