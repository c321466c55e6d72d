import { type ErasureOutcome } from "../delivery/sink.ts";
import { type SinkAnswer } from "./sink-request.ts";

/** What a service's answer to a deletion means: what it does not know is gone. */
export function erasureOutcome(answer: SinkAnswer): ErasureOutcome {
  if (answer.kind === "none") return { outcome: "failed", reason: answer.reason };
  const isGone = (answer.status >= 200 && answer.status < 300) || answer.status === 404;
  return isGone ? { outcome: "erased" } : { outcome: "failed", reason: answer.reason };
}
