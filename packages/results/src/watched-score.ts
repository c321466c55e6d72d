import { dayInMs } from "@afterword/protocol/duration";
import { type Clock, type SurveyRecord, timestamp, UsageError } from "@afterword/reference-server/internal";
import { type MeasuredAnswer } from "./store/measured-answers.ts";
import { boundsOf, firstBelow, mixed, sampleInOrder, sequenceOf, type Bounds } from "./statistics/betting.ts";
import { ratingValues, scaleOf, scoreName, scores, type ScoreName } from "./ratings.ts";
import { type ResultsStore } from "./store/results-reader.ts";

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
const searchedInMs = 400 * dayInMs;
/** The most answers that are read of each side. What they show stays true. */
const mostAnswers = 100_000;

type Answers = AsyncIterable<MeasuredAnswer>;
type Watched = Pick<WatchedScore, "version" | "from">;

/** The first answer of each person, as numbers from 0 to 1. */
class FirstAnswers {
  readonly values: number[] = [];
  readonly times: number[] = [];
  readonly #people = new Set<unknown>();
  #answers = 0;

  get isFull(): boolean {
    return this.#answers === mostAnswers;
  }

  /** An answer without a known person is of a person of its own. */
  add(answer: MeasuredAnswer, value: number): void {
    const person = answer.respondentId ?? answer;
    if (this.isFull) return;
    this.#answers += 1;
    if (this.#people.has(person)) return;
    this.#people.add(person);
    this.values.push(value);
    this.times.push(answer.at);
  }
}

/** @throws UsageError when there is no such version, or none at all */
async function watchedVersion(answers: Answers, slug: string, wanted: string | undefined) {
  const firstAt = new Map<string, number>();
  for await (const { version, at } of answers)
    if (version !== undefined && !firstAt.has(version)) firstAt.set(version, at);
  const version = wanted ?? [...firstAt.keys()].at(-1);
  if (version === undefined)
    throw new UsageError(
      `No answers to "${slug}" have a version: pass run.version at mint, or compare by time with --from.`,
    );
  const from = firstAt.get(version);
  if (from !== undefined) return { version, from };
  const known = [...firstAt.keys()].slice(-10).join(", ") || "none yet";
  throw new UsageError(`There are no answers to "${slug}" of version "${version}". Versions: ${known}.`);
}

/** Both sides; without a version, by time, they have answers without a version too. */
async function sidesOf(answers: Answers, { version, from }: Watched, valueOf: (rating: number) => number) {
  const [baseline, watched] = [new FirstAnswers(), new FirstAnswers()];
  for await (const answer of answers) {
    const isWatched = answer.at >= from;
    const isOfSide = (answer.version === version) === isWatched && answer.version !== undefined;
    if (version === undefined || isOfSide)
      (isWatched ? watched : baseline).add(answer, valueOf(answer.rating));
    if (watched.isFull) break;
  }
  return { baseline, watched };
}

/**
 * Compares the score since a version's first answer, or since a moment, with a baseline that is frozen then. The bounds of
 * the score hold at all times at once, so that it may be watched every minute: "dropped" is wrong for at most 5 % of the
 * comparisons, however often they are looked at.
 * @throws UsageError without answers to compare
 */
export async function watchedScore(
  store: ResultsStore,
  clock: Clock,
  projectId: string,
  { id: surveyId, slug, definition }: SurveyRecord,
  { baselineInMs, version: wanted, from: moment, stratum }: WatchQuery,
): Promise<WatchedScore> {
  const answersSince = async function* (since: number) {
    for await (const answer of store.measuredAnswers({ projectId, surveyId, since }))
      if (stratum === undefined || answer.stratum === stratum) yield answer;
  };
  const watched: Watched =
    moment === undefined
      ? await watchedVersion(answersSince(clock.now() - searchedInMs), slug, wanted)
      : { from: moment };
  const { version, from } = watched;
  const { type } = definition;
  const since = from - baselineInMs;
  const name = scoreName(definition);
  const [least, most] = scores[name].range;
  const onScale = (value: number) => least + value * (most - least);
  const valueOf = (rating: number) => (ratingValues[type][rating]! * scaleOf(type) - least) / (most - least);
  const sides = await sidesOf(answersSince(since), watched, valueOf);
  if (sides.baseline.values.length === 0) {
    const others = version === undefined ? "" : ` of versions other than "${version}"`;
    throw new UsageError(
      `There are no answers to "${slug}"${others} from ${timestamp(since)} to ${timestamp(from)}: ` +
        "pass a longer --baseline, another --run-version or another --from.",
    );
  }
  const sideOf = ({ values }: FirstAnswers, { low, high }: Bounds): WatchedSide => {
    const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
    const value = values.length === 0 ? null : onScale(mean);
    return { value, low: onScale(low), high: onScale(high), people: values.length };
  };
  // It has the answers of several versions, one after the other.
  const bounds = boundsOf(sampleInOrder(mixed(sides.baseline.values, sides.baseline.times), errorOfBound));
  const sequence = sequenceOf(sides.watched.values, errorOfBound);
  const dropped = firstBelow(sequence, bounds.low);
  return {
    name,
    version,
    from,
    score: sideOf(sides.watched, boundsOf(sequence)),
    baseline: sideOf(sides.baseline, bounds),
    droppedAt: dropped === undefined ? undefined : sides.watched.times[dropped],
  };
}
