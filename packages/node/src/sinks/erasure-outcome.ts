import type { ErasureOutcome } from "../scores/sink.ts";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import type { SinkAnswer } from "./sink-request.ts";
import { isJsonObject, namesWhatIsMissing } from "./status-outcome.ts";

/**
 * Maps a service's answer to a deletion to its outcome: an unknown score counts as erased, and a temporary failure can be
 * retried. A proxy's page has erased nothing.
 */
export function erasureOutcome(answer: SinkAnswer): ErasureOutcome {
  const { reason } = answer;
  if (answer.kind === "none") return { outcome: "failed", reason, afterInMs: 0 };
  const { status, body, afterInMs = 0 } = answer;
  const isDone = status >= 200 && status < 300;
  if (isDone ? body === "" || isJsonObject(body) : status === 404 && namesWhatIsMissing(body))
    return { outcome: "erased" };
  return isDone || isRetryableStatus(status)
    ? { outcome: "failed", reason, afterInMs }
    : { outcome: "failed", reason };
}
