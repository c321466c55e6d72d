import type { PendingScore, ScoredRun, SurveyType } from "@afterword/protocol";
import { ConfigurationError } from "../errors/afterword-error.ts";

/**
 * A score of the queue, ready for a sink: with `null` for missing fields, and the meaning of its rating.
 * `rating` is the raw value on the survey's own scale; `text` has passed the text policy.
 */
export interface DeliverableScore extends Required<Omit<PendingScore, "run" | "thumbs">> {
  /** What the mint attested about the run; `null` if nothing. */
  run: ScoredRun | null;
  /** Name of the score at the sink, for example `afterword.srv_csat`. Never changes for one score. */
  name: string;
  /** `null` when the survey, and so the scale of `rating`, is unknown. */
  surveyType: SurveyType | null;
  /** The rating between 0 (worst) and 1 (best) (decision D68); `null` without a rating or a survey type. */
  normalised: number | null;
  /** For example `promoter` or `neutral`; `null` without a rating or a survey type. Of a thumb `up` or `down`. */
  label: string | null;
  /** Only in scores of a survey with `"thumbs": true`. */
  thumbs?: "up" | "down";
}

/**
 * The outcome of delivering one score.
 * - `delivered`: the sink has accepted the score; it is acknowledged as delivered.
 * - `retry`: the score stays pending. `afterInMs` is the sink's request, for example from a Retry-After; it can lengthen
 *   the forwarder's backoff, never shorten it. `scope` says what waits: `"score"` (default) this score alone, for example
 *   because its trace has not arrived yet; `"sink"` all scores (network, 408, 429, 503, several 500 in a row).
 * - `permanent`: the sink will never accept this score; it is acknowledged as failed (decision D95). After five in a row,
 *   with nothing accepted in between, further ones are kept and tried again.
 * - `fatal`: the sink will probably accept no score until the configuration changes (401, 402, 403). The score stays
 *   pending and is retried; the forwarder stops after five refusals in a row over a minute, with nothing accepted in
 *   between.
 * `reason` is for logs and never contains personal data. One that is missing or no text becomes "gave no reason", of an error
 * its class. A value without one of these words counts as `retry`.
 */
export type Outcome =
  | { outcome: "delivered" }
  | { outcome: "retry"; reason: string; afterInMs?: number | undefined; scope?: "score" | "sink" | undefined }
  | { outcome: "permanent"; reason: string }
  | { outcome: "fatal"; reason: string };

/** A score to delete at a sink, taken from an export of responses, which names no session. */
export interface ErasableScore {
  /** Id of the response, which is the id of its score. */
  id: string;
  surveyId: string | null;
  /** Name of the delivered score; `null` when the export does not name the survey. */
  name: string | null;
  /** When the response was stored, in RFC 3339. */
  at: string | null;
}

/**
 * The outcome of deleting one score.
 * - `erased`: the sink no longer has the score, or never had it.
 * - `unsupported`: the sink cannot find or delete it; `reason` says what to do by hand.
 * - `failed`: unknown. With `afterInMs`, the minimum wait, the same call retries; without it a key or a setting has to
 *   change first.
 */
export type ErasureOutcome =
  | { outcome: "erased" }
  | { outcome: "unsupported"; reason: string }
  | { outcome: "failed"; reason: string; afterInMs?: number | undefined };

/**
 * The result of checking a destination. `retryable` says whether waiting may help; otherwise a key or a setting has to
 * change. `detail` is for people and contains no secret.
 */
export type SinkExamination =
  { result: "ok" | "warning"; detail: string } | { result: "failed"; detail: string; retryable: boolean };

/** What each call of a sink gets beside the scores. */
export interface SinkOptions {
  /** Aborted when the call has taken too long or the forwarder has to stop. Pass it to every request. */
  signal: AbortSignal;
}

/** How many scores had which outcome. */
export interface DeliveryCounts {
  /** Accepted by the sink. */
  delivered: number;
  /** Refused by the sink for good, and acknowledged as failed. */
  failed: number;
  /**
   * Attempts that ended in `retry` or `fatal`, or failed while the score was prepared; one score may count several
   * times.
   */
  retried: number;
}

/** State of one of the destinations that a sink combines, see `fanOut`. */
export interface SinkPart extends DeliveryCounts {
  name: string;
  lastProblem: string | null;
  /** Whether it has failed as a whole, and no call has succeeded since. */
  isDown: boolean;
  /** Whether it has not decided about the score with this id. */
  needs(id: string): boolean;
}

/**
 * A destination for scores. `deliver` must be safe to call again with the same score: a crash between the sink's outcome and
 * the acknowledgement delivers a score twice, and the sink recognises it by its id (decision D94).
 */
export interface Sink {
  /** Lowercase name for logs, metrics and the command line, for example `langfuse`. */
  readonly name: string;
  /** Maximum number of scores per call of `deliver`. Default 1. */
  readonly batchSize?: number | undefined;
  /**
   * Text policy of a forwarder without one. Default `"omit"`; a sink whose data stays on this machine may include the
   * person's own words. The forwarder uses `options.text ?? sink.textByDefault ?? "omit"`.
   */
  readonly textByDefault?: "include" | "omit" | undefined;
  /**
   * Delivers 1 to `batchSize` scores and returns one outcome for each, in their order. An exception, or a reply that is no
   * such array, counts as `retry` with scope `"sink"` for all of them. Calls may overlap.
   */
  deliver(scores: readonly DeliverableScore[], options: SinkOptions): Promise<Outcome[]>;
  /** Deletes scores and returns one outcome for each, in their order. Omit it if the destination cannot delete. */
  eraseScores?(scores: readonly ErasableScore[], options: SinkOptions): Promise<ErasureOutcome[]>;
  /** State of each destination, if the sink combines several. */
  parts?(): readonly SinkPart[];
  /**
   * Checks that the destination can be reached, accepts the key and has the project, without changing anything there.
   * `afterword doctor` calls it. Omit it if only a delivery can show that.
   */
  examine?(options: SinkOptions): Promise<SinkExamination>;
  /** Flushes, and closes files and connections. Called once, after the last `deliver`. */
  close?(): Promise<void>;
}

/**
 * Checks a sink when it is made, not when the first score arrives. Returns the sink.
 * @example
 * const dropped = defineSink({ name: "dropped", deliver: async (all) => all.map(() => ({ outcome: "delivered" })) });
 */
export function defineSink<S extends Sink>(sink: S): S {
  const { name, batchSize = 1, deliver } = Object(sink) as Partial<Sink>;
  if (typeof name !== "string" || name.trim() === "") throw new ConfigurationError("A sink needs a name.");
  if (typeof deliver !== "function")
    throw new ConfigurationError(`Sink ${name} needs a function deliver(scores).`);
  if (!Number.isInteger(batchSize) || batchSize < 1) {
    throw new ConfigurationError(
      `Sink ${name} has the batchSize ${String(batchSize)}; it must be a whole number from 1.`,
    );
  }
  return sink;
}
