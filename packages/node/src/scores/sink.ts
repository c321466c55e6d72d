import type { PendingScore, SurveyType } from "@afterword/protocol";
import { ConfigurationError } from "../errors/configuration-error.ts";

/**
 * A linked rating, ready for a sink: the row of the queue with `null` for whatever it does not carry, and what the
 * rating means. `rating` is the raw value on the survey's own scale and `text` has been through the text policy.
 */
export interface DeliverableScore extends Required<PendingScore> {
  /** Name of the score at the sink, for example `afterword.srv_csat`. Never changes for one row. */
  name: string;
  /** `null` when the survey is not known; then the scale of `rating` is not known either. */
  surveyType: SurveyType | null;
  /** The rating between 0 (worst) and 1 (best) (decision D68); `null` without a rating or a survey type. */
  normalised: number | null;
  /** For example `promoter` or `neutral` (decision D68); `null` without a rating or a survey type. */
  label: string | null;
}

/**
 * What became of one score.
 * - `delivered`: the sink has accepted it; it is acknowledged as delivered.
 * - `retry`: not now; it stays pending. `afterInMs` is the sink's own wish, for example from a Retry-After; it can
 *   lengthen the forwarder's own backoff, never shorten it. `scope` says what has to wait: `"score"` (default) only this
 *   one, for example because its trace is not there yet; `"sink"` everything (network, 408, 429, 503, several 500 in a
 *   row), so that the sink is not hammered.
 * - `permanent`: this score will never be accepted; it is acknowledged as failed (decision D95).
 * - `fatal`: as far as this answer says, no score will be accepted until the configuration is changed (401, 402, 403).
 *   This score stays pending and is tried again; the forwarder stops once five different scores in a row were refused,
 *   the last at least a minute after the first (decision O62).
 * A `reason` is for logs and never holds personal data.
 */
export type Outcome =
  | { outcome: "delivered" }
  | { outcome: "retry"; reason: string; afterInMs?: number; scope?: "score" | "sink" }
  | { outcome: "permanent"; reason: string }
  | { outcome: "fatal"; reason: string };

/** A score to delete at a sink, known from an export of the responses: the export carries no session. */
export interface ErasableScore {
  /** Id of the response, which is the id of its score. */
  id: string;
  surveyId: string | null;
  /** Name under which it was delivered; `null` when the export does not say which survey was answered. */
  name: string | null;
  /** RFC 3339, when the response was stored. */
  at: string | null;
}

/**
 * What became of one score that was to be deleted.
 * - `erased`: the sink holds it no more, or never did.
 * - `unsupported`: the sink cannot find or delete it; `reason` says what to do by hand.
 * - `failed`: nothing is known. With `afterInMs`, the least wait, the same call tries again; without it somebody has to
 *   change something first.
 */
export type ErasureOutcome =
  | { outcome: "erased" }
  | { outcome: "unsupported"; reason: string }
  | { outcome: "failed"; reason: string; afterInMs?: number };

/**
 * What a look at a destination has found. `retryable` says whether waiting may mend it; otherwise somebody has to change a
 * key or a setting. `detail` is for people and holds no secret.
 */
export type SinkExamination =
  { result: "ok" | "warning"; detail: string } | { result: "failed"; detail: string; retryable: boolean };

export interface SinkOptions {
  /** Aborted when the forwarder must be gone; a sink passes it on to its requests. */
  signal: AbortSignal;
}

/** How one destination is doing that a sink is made of, see `fanOut`. */
export interface SinkPart {
  name: string;
  /** Scores that it has accepted, and those that it has refused for good. */
  delivered: number;
  failed: number;
  /** Attempts that ended in `retry` or `fatal`. */
  retried: number;
  lastProblem: string | null;
  /** Milliseconds for which it is left in peace from now on. */
  pausedForInMs: number;
  /** Whether it has yet to decide about the score of this id. */
  needs(id: string): boolean;
}

/**
 * A destination for scores. Its `deliver` must be safe to call again with the same row: a crash between the sink's
 * answer and the acknowledgement delivers a row twice, and the row's id is what makes the two one (decision D94).
 */
export interface Sink {
  /** Lower-case name for logs, metrics and the command line, for example `langfuse`. */
  readonly name: string;
  /** Most scores that one call of `deliver` takes. Default 1. */
  readonly batchSize?: number;
  /**
   * What becomes of the person's own words when the forwarder is given no text policy. Default `"omit"`; a sink whose
   * data stays on this machine may keep them. The forwarder takes `options.text ?? sink.textByDefault ?? "omit"`.
   */
  readonly textByDefault?: "include" | "omit";
  /**
   * Delivers 1 to `batchSize` scores and answers one outcome for each, in their order. What it throws counts as
   * `retry` of the scope `"sink"` for all of them. May be called several times at once.
   */
  deliver(scores: readonly DeliverableScore[], options: SinkOptions): Promise<Outcome[]>;
  /** Deletes scores, one outcome for each in their order. Absent where the destination cannot delete. */
  eraseScores?(scores: readonly ErasableScore[], options: SinkOptions): Promise<ErasureOutcome[]>;
  /** How each of its destinations is doing, where there are several. */
  parts?(): readonly SinkPart[];
  /**
   * Looks whether the destination can be reached, accepts the key and has the project, and changes nothing there. Asked by
   * `afterword doctor`. Absent where that cannot be known without delivering something.
   */
  examine?(options: SinkOptions): Promise<SinkExamination>;
  /** Flushes and lets go of files and connections; called once, after the last `deliver`. */
  close?(): Promise<void>;
}

/** Checks a sink when it is made and not when the first score arrives; answers the sink itself. */
export function defineSink<S extends Sink>(sink: S): S {
  const { name, batchSize = 1, deliver } = sink;
  if (typeof name !== "string" || name.trim() === "") throw new ConfigurationError("A sink needs a name.");
  if (typeof deliver !== "function")
    throw new ConfigurationError(`Sink ${name} needs a function deliver(scores).`);
  if (!Number.isInteger(batchSize) || batchSize < 1) {
    throw new ConfigurationError(
      `Sink ${name} has the batchSize ${batchSize}; it must be a whole number from 1.`,
    );
  }
  return sink;
}
