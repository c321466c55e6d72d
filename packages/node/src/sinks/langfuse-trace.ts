import type { Outcome } from "../scores/sink.ts";
import { targetMemory } from "../scores/target.ts";
import { isRetryableStatus } from "../errors/api-error.ts";
import type { SendToSink, SinkAnswer } from "./sink-request.ts";
import { isJsonObject, retryOutcome } from "./status-outcome.ts";

/** The trace, or why there is none (for good, or until the observation is ingested), or that asking failed for now. */
export type LangfuseTrace =
  { target: string } | { absent: string; isForGood: boolean } | Extract<Outcome, { outcome: "retry" }>;

/**
 * Finds the trace of an observation, once for each observation. Langfuse Cloud has only the second version of the
 * observations route, older servers of one's own only the first: the second is asked, and given up for good when the
 * server does not know it.
 */
export function langfuseTraceLookup(send: SendToSink) {
  const look = targetMemory<string, Exclude<LangfuseTrace, { target: string }>>();
  let knowsSecondVersion = true;

  async function ask(observationId: string, signal: AbortSignal): Promise<SinkAnswer> {
    if (knowsSecondVersion) {
      const answer = await send({ method: "GET", path: secondVersion(observationId) }, signal);
      if (answer.kind === "none" || ![404, 405, 410, 501].includes(answer.status)) return answer;
    }
    const path = `/api/public/observations/${encodeURIComponent(observationId)}`;
    const answer = await send({ method: "GET", path }, signal);
    // A proxy that answers 404 to everything says nothing about versions.
    if (answer.kind === "answer" && isJsonObject(answer.body)) knowsSecondVersion = false;
    return answer;
  }

  return (observationId: string, signal: AbortSignal): Promise<LangfuseTrace> =>
    look(observationId, async () => {
      const answer = await ask(observationId, signal);
      const traceId = traceIn(answer);
      if (traceId !== undefined) return { target: traceId };
      if (answer.kind === "none" || isRetryableStatus(answer.status)) return retryOutcome(answer);
      // Something in between has answered, and knows nothing of observations.
      if (!isJsonObject(answer.body)) return { ...retryOutcome(answer), scope: "sink" };
      // Asking again may bring the trace to light; but a key that may not read never will.
      const isForGood = [401, 403].includes(answer.status);
      return {
        absent: `${answer.reason}: ${isForGood ? "may not look it up" : "no such observation"}`,
        isForGood,
      };
    });
}

/** The first version answers the observation, the second a list of them. */
function traceIn(answer: SinkAnswer): string | undefined {
  if (answer.kind === "none" || answer.status !== 200) return undefined;
  const body = answer.body as { traceId?: unknown; data?: { traceId?: unknown }[] } | null;
  const traceId = body?.traceId ?? body?.data?.[0]?.traceId;
  return typeof traceId === "string" && traceId !== "" ? traceId : undefined;
}

const secondVersion = (observationId: string) => {
  const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: observationId }]);
  return `/api/public/v2/observations?${new URLSearchParams({ fields: "core", limit: "1", filter })}`;
};
