import type { EraseReply } from "@afterword/protocol";
import type { ErasableScore } from "../scores/sink.ts";
import type { SinkErasure } from "./erase-at-sink.ts";
import type { NamedScores } from "./erase-everywhere.ts";
import { AfterwordError, hasMarker } from "../errors/afterword-error.ts";

const marker = Symbol.for("afterword.error.erasure-incomplete");

/**
 * A person's scores were not deleted at every sink, or that is not certain yet. Unless it is `retryable`, the service has
 * erased its part, or may have: it no longer knows the ids, so pass this error to a later call as `earlier`.
 */
export class ErasureIncompleteError extends AfterwordError {
  override readonly name: string = "ErasureIncompleteError";
  override readonly retryable: boolean;
  readonly sinks: readonly SinkErasure[];
  /** What the service has erased; `undefined` if it has erased nothing, or if that is unknown because of the `cause`. */
  readonly service: EraseReply | undefined;
  /** The scores to delete at the sinks. */
  readonly scores: readonly ErasableScore[];
  /** RFC 3339. Until then a running forwarder may still push one of them; `null` when none can any more. */
  readonly certainAt: string | null;
  readonly [marker] = true;

  constructor(
    sinks: readonly SinkErasure[],
    { scores, certainAt }: NamedScores,
    { service, cause }: { service?: EraseReply; cause?: unknown } = {},
  ) {
    const failed = sinks.filter(({ failed }) => failed > 0);
    const where = failed.map(({ sink, failed, reasons }) => `${failed} at ${sink} (${reasons.join("; ")})`);
    const sentences = [
      failed.length > 0 && `Scores could not be deleted: ${where.join(", ")}.`,
      failed.length === 0 &&
        certainAt !== null &&
        `A running forwarder may push scores of this person until ${certainAt}.`,
      whatNext(service, cause),
    ];
    super(sentences.filter(Boolean).join(" "), cause === undefined ? undefined : { cause });
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

  static override isInstance(error: unknown): error is ErasureIncompleteError {
    return hasMarker(error, marker);
  }
}

function whatNext(service: EraseReply | undefined, cause: unknown): string {
  const again = "call again with this error as `earlier` (--again), or delete the scores by hand.";
  if (service) return `The service has erased its part: ${again}`;
  if (cause === undefined) return "The service has erased nothing yet: repeat the call.";
  return `Whether the service has erased its part is unknown (${String(cause)}): ${again}`;
}
