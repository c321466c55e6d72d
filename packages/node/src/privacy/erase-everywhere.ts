import type { EraseReply, ExportRow } from "@afterword/protocol";
import { AfterwordError } from "../errors/afterword-error.ts";
import { errorName } from "../errors/error-name.ts";
import { backoffInMs } from "../http/backoff.ts";
import type { CallOptions } from "../http/transport.ts";
import { checkedWholeNumber } from "../options/checked-option.ts";
import type { Clock } from "../options/clock.ts";
import { scoreNameOf, type ScoreNameOptions } from "../scores/score-value.ts";
import type { ErasableScore, ErasureOutcome, Sink } from "../scores/sink.ts";
import { safeErase } from "../scores/safe-sink.ts";

/** What happened at one sink. */
export interface SinkErasure {
  sink: string;
  erased: number;
  /** Scores that the sink cannot delete, with what to do by hand. */
  unsupported: number;
  failed: number;
  /** Why not, each reason once. */
  reasons: string[];
}

/** The scores of an erasure, to sweep again: the service no longer knows their ids. */
export interface NamedScores {
  /** The scores to delete at the sinks. */
  scores: readonly ErasableScore[];
  /**
   * RFC 3339. Until then a running forwarder may still push one of these scores; `null` when the sinks were swept after
   * that.
   */
  certainAt: string | null;
}

/** `surveys` and `scoreName` as the forwarder is given them. The sinks that can delete go by the response's id. */
export interface EraseEverywhereOptions extends CallOptions, ScoreNameOptions {
  /** Where the person's scores were delivered to. */
  sinks: readonly Sink[];
  /**
   * How long a forwarder may still push what it has fetched before the erasure, in milliseconds: the call takes as long.
   * 0 when no forwarder runs. Default 120,000, which is more than the 60 seconds that it keeps rows, its `sinkTimeoutInMs` and
   * the client's `timeoutInMs` together; give more where those are longer.
   */
  forwarderHoldInMs?: number | undefined;
  /** Report or `ErasureIncompleteError` of an earlier call that was not completed: swept again with this one. */
  earlier?: NamedScores | undefined;
  /** Called when the service has erased and the wait begins. Store the report, in case the call is interrupted: see `earlier`. */
  onErased?: ((report: EraseEverywhereReport) => void | Promise<void>) | undefined;
}

/** What an erasure has deleted at the service and at the sinks. */
export interface EraseEverywhereReport extends NamedScores {
  /** Ids of the responses, which are the ids of their scores. */
  responseIds: string[];
  sinks: SinkErasure[];
  /** What the service has erased. */
  service: EraseReply;
  /** What is not certain yet, in a sentence; empty if nothing is. */
  uncertain: string;
}

const defaultForwarderHoldInMs = 120_000;

/** The person's responses at the service. */
interface Responses {
  export(options: CallOptions): AsyncIterable<ExportRow>;
  erase(options: CallOptions): Promise<EraseReply>;
}

/**
 * Deletes a person's scores at the sinks, then everything at the service, waits until no forwarder can
 * hold a row of theirs any more, and deletes at the sinks again (decision O63). When a sink fails at first, nothing is
 * erased at the service, and the call can be repeated. When it fails later, the service's reply is lost, `onErased` throws, or
 * the signal is aborted while the call waits, the `ErasureIncompleteError` is what a later call takes as `earlier`.
 */
export async function eraseEverywhere(
  responses: Responses,
  clock: Clock,
  { sinks, surveys, scoreName, forwarderHoldInMs, earlier, onErased, ...options }: EraseEverywhereOptions,
): Promise<EraseEverywhereReport> {
  const holdInMs = checkedWholeNumber("forwarderHoldInMs", forwarderHoldInMs ?? defaultForwarderHoldInMs, 0);
  const named = new Map(earlier?.scores.map((score) => [score.id, score]));
  let found = 0;
  for await (const { id, surveyId = null, at = null } of responses.export(options)) {
    if (id === undefined) continue;
    const name = surveyId === null ? null : scoreNameOf(surveyId, { surveys, scoreName });
    named.set(id, { id, surveyId, at, name });
    found += 1;
  }
  const scores = [...named.values()];
  const { signal = new AbortController().signal } = options;
  const sweep = () => Promise.all(sinks.map((sink) => eraseAtSink(sink, scores, clock, signal)));
  const first = await sweep();
  if (hasFailed(first))
    throw new ErasureIncompleteError(first, { scores, certainAt: earlier?.certainAt ?? null });

  const service = await responses.erase(options).catch((cause: unknown) => {
    if (scores.length === 0) throw cause;
    // An attempt whose reply was lost may have erased, and the ids with it; also where the last one was refused.
    const certainAt = momentAfter(clock.now(), holdInMs);
    throw new ErasureIncompleteError(first, { scores, certainAt }, { cause });
  });
  const now = clock.now();
  const waitInMs = found > 0 ? holdInMs : Math.min(holdInMs, leftInMs(earlier, now));
  const certainAt = momentAfter(now, waitInMs);
  const unknown = unknownScores(service, found, named.size);
  const report = (at: string | null, erased: SinkErasure[]): EraseEverywhereReport => ({
    responseIds: scores.map(({ id }) => id),
    scores,
    sinks: erased,
    service,
    certainAt: at,
    uncertain:
      at === null ? unknown : `A running forwarder may push these scores until ${at}. ${unknown}`.trim(),
  });
  if (certainAt !== null) {
    try {
      await onErased?.(report(certainAt, first));
    } catch (cause) {
      throw new ErasureIncompleteError(first, { scores, certainAt }, { service, cause });
    }
    await clock.sleep(waitInMs, signal);
    if (signal.aborted) throw new ErasureIncompleteError(first, { scores, certainAt }, { service });
  }
  const second = await sweep();
  if (hasFailed(second)) throw new ErasureIncompleteError(second, { scores, certainAt: null }, { service });
  return report(null, second);
}

const scoresPerCall = 100;
const attempts = 5;
const backoff = { firstInMs: 1000, longestInMs: 30_000 };
/** A service that asks for a longer wait is called again after this. */
const longestWaitInMs = 60_000;

/** A call may take as long as a forwarder gives it by default. */
const longestCallInMs = 30_000;

async function askInTime(sink: Sink, scores: readonly ErasableScore[], clock: Clock, signal: AbortSignal) {
  const [late, answered] = [new AbortController(), new AbortController()];
  void clock.sleep(longestCallInMs, answered.signal).then(() => late.abort());
  const outcomes = await safeErase(sink, scores, { signal: AbortSignal.any([signal, late.signal]) });
  answered.abort();
  return outcomes;
}

/** Deletes scores at one sink; never rejects. Transient failures are retried until five attempts in a row delete nothing. */
async function eraseAtSink(
  sink: Sink,
  scores: readonly ErasableScore[],
  clock: Clock,
  signal: AbortSignal,
): Promise<SinkErasure> {
  const result: SinkErasure = { sink: sink.name, erased: 0, unsupported: 0, failed: 0, reasons: [] };
  for (let from = 0; from < scores.length; from += scoresPerCall) {
    let left = scores.slice(from, from + scoresPerCall);
    for (let attempt = 1; left.length > 0; attempt += 1) {
      const outcomes = await askInTime(sink, left, clock, signal);
      const mayRetry = attempt < attempts && !signal.aborted;
      const waits = outcomes.map((one) => (mayRetry && "afterInMs" in one ? one.afterInMs : undefined));
      outcomes.filter((_, index) => waits[index] === undefined).forEach((one) => count(one, result));
      const later = left.filter((_, index) => waits[index] !== undefined);
      const askedInMs = Math.max(...waits.map((wait) => wait ?? 0));
      const pauseInMs = Math.max(askedInMs, backoffInMs(backoff, attempt, Math.random));
      if (later.length > 0) await clock.sleep(Math.min(longestWaitInMs, pauseInMs), signal);
      if (later.length < left.length) attempt = 0;
      left = later;
    }
  }
  return result;
}

function count(outcome: ErasureOutcome, result: SinkErasure): void {
  result[outcome.outcome] += 1;
  if ("reason" in outcome && !result.reasons.includes(outcome.reason)) result.reasons.push(outcome.reason);
}

const momentAfter = (now: number, waitInMs: number) =>
  waitInMs > 0 ? new Date(now + waitInMs).toISOString() : null;

const hasFailed = (sinks: readonly SinkErasure[]) => sinks.some(({ failed }) => failed > 0);

const leftInMs = (earlier: NamedScores | undefined, now: number) =>
  earlier?.certainAt ? Math.max(0, Date.parse(earlier.certainAt) - now) : 0;

/** Reports scores that cannot be deleted because their ids are unknown. */
function unknownScores({ responsesDeleted = 0 }: EraseReply, found: number, named: number): string {
  const late = responsesDeleted - found;
  if (late > 0) return `${late} responses arrived meanwhile: their scores were not deleted at the sinks.`;
  if (named > 0) return "";
  return (
    "No response was found, so nothing was deleted at the sinks. " +
    "If an earlier erasure was not completed, pass its output, which lists its scores."
  );
}

/**
 * A person's scores were not deleted at every sink, or that is not certain yet. Unless it is `retryable`, the service has
 * erased its part, or may have: it no longer knows the ids, so pass this error to a later call as `earlier`.
 */
export class ErasureIncompleteError extends AfterwordError {
  protected static override readonly kind = "ErasureIncompleteError";
  override readonly retryable: boolean;
  readonly sinks: readonly SinkErasure[];
  /** What the service has erased; `undefined` if it has erased nothing, or if that is unknown because of the `cause`. */
  readonly service: EraseReply | undefined;
  /** The scores to delete at the sinks. */
  readonly scores: readonly ErasableScore[];
  /** RFC 3339. Until then a running forwarder may still push one of them; `null` when none can any more. */
  readonly certainAt: string | null;

  constructor(
    sinks: readonly SinkErasure[],
    { scores, certainAt }: NamedScores,
    { service, cause }: { service?: EraseReply; cause?: unknown } = {},
  ) {
    const failed = sinks.filter(({ failed }) => failed > 0);
    const where = failed.map(({ sink, failed, reasons }) => `${failed} at ${sink} (${reasons.join("; ")})`);
    const late = certainAt && `A running forwarder may push scores of this person until ${certainAt}.`;
    const what = failed.length > 0 ? `Scores could not be deleted: ${where.join(", ")}.` : late;
    const sentences = [what, whatNext(service, cause)].filter(Boolean);
    super(sentences.join(" "), cause === undefined ? undefined : { cause });
    this.sinks = sinks;
    this.service = service;
    this.scores = scores;
    this.certainAt = certainAt;
    this.retryable = service === undefined && cause === undefined;
  }

  /** Ids of the responses, which are the ids of their scores at the sinks. The service no longer knows them. */
  get responseIds(): readonly string[] {
    return this.scores.map(({ id }) => id);
  }
}

function whatNext(service: EraseReply | undefined, cause: unknown): string {
  const again = "call again with this error as `earlier` (--again), or delete the scores by hand.";
  const failed = cause === undefined ? "" : ` onErased failed: ${errorName(cause)}.`;
  if (service) return `The service has erased its part: ${again}${failed}`;
  if (cause === undefined) return "The service has erased nothing yet: repeat the call.";
  return `Whether the service has erased its part is unknown (${String(cause)}): ${again}`;
}
