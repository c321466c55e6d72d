import type { EraseReply } from "@afterword/protocol";
import type { SinkErasure } from "../privacy/erase-at-sink.ts";
import { AfterwordError, hasMarker } from "./afterword-error.ts";

const marker = Symbol.for("afterword.error.erasure-incomplete");

/** A sink has failed to delete a person's scores. `service` tells whether the service has erased its part already. */
export class ErasureIncompleteError extends AfterwordError {
  override readonly name: string = "ErasureIncompleteError";
  override readonly retryable: boolean;
  readonly sinks: readonly SinkErasure[];
  /** What the service has erased; `undefined` when it still has everything, so that the call can be repeated. */
  readonly service: EraseReply | undefined;
  /** Ids of the responses, which are the ids of their scores at the sinks: the service does not know them any more. */
  readonly responseIds: readonly string[];
  readonly [marker] = true;

  constructor(sinks: readonly SinkErasure[], responseIds: readonly string[], service?: EraseReply) {
    const failed = sinks.filter(({ failed }) => failed > 0);
    const where = failed.map(({ sink, failed, reasons }) => `${failed} at ${sink} (${reasons.join("; ")})`);
    const next = service
      ? "The service has erased its part: delete these scores by hand."
      : "The service has erased nothing yet: repeat the call.";
    super(`Scores could not be deleted: ${where.join(", ")}. ${next}`);
    this.sinks = sinks;
    this.service = service;
    this.responseIds = responseIds;
    this.retryable = service === undefined;
  }

  static override isInstance(error: unknown): error is ErasureIncompleteError {
    return hasMarker(error, marker);
  }
}
