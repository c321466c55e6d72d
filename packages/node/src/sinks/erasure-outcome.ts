import type { ErasureOutcome } from "../delivery/sink.ts";
import { isRetryableStatus } from "../errors/api-error.ts";
import type { SinkAnswer } from "./sink-request.ts";

/** What a service's answer to a deletion means: what it does not know is gone, and what may pass is tried again. */
export function erasureOutcome(answer: SinkAnswer): ErasureOutcome {
  const { reason } = answer;
  if (answer.kind === "none") return { outcome: "failed", reason, afterInMs: 0 };
  const { status, afterInMs = 0 } = answer;
  if ((status >= 200 && status < 300) || status === 404) return { outcome: "erased" };
  return isRetryableStatus(status) ? { outcome: "failed", reason, afterInMs } : { outcome: "failed", reason };
}
