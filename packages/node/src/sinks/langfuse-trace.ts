import type { Outcome } from "../scores/sink.ts";
import { targetMemory } from "../scores/target.ts";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import type { SendToSink, SinkAnswer } from "./sink-request.ts";
import { isJsonObject, retryOutcome } from "./status-outcome.ts";

/** The trace; or why there is none, for good or until the observation is ingested; or that the lookup failed for now. */
export type LangfuseTrace =
  { target: string } | { absent: string; isForGood: boolean } | Extract<Outcome, { outcome: "retry" }>;

/**
 * Makes a lookup of an observation's trace, which it does once per observation. Langfuse Cloud has only version 2 of the
 * observations route, older self-hosted servers only version 1: version 2 is tried first, and dropped for good when the
 * server does not have it.
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
    // A proxy that answers 404 to everything is no evidence of a version.
    if (answer.kind === "answer" && isJsonObject(answer.body)) knowsSecondVersion = false;
    return answer;
  }

  return (observationId: string, signal: AbortSignal): Promise<LangfuseTrace> =>
    look(observationId, async () => {
      const answer = await ask(observationId, signal);
      const traceId = traceIn(answer);
      if (traceId !== undefined) return { target: traceId };
      if (answer.kind === "none" || isRetryableStatus(answer.status)) return retryOutcome(answer);
      // A proxy has answered, which knows nothing about observations.
      if (!isJsonObject(answer.body)) return { ...retryOutcome(answer), scope: "sink" };
      // A later lookup may find the trace, but not with a key that may not read.
      const isForGood = [401, 403].includes(answer.status);
      return {
        absent: `${answer.reason}: ${isForGood ? "may not look it up" : "no such observation"}`,
        isForGood,
      };
    });
}

/** Version 1 returns the observation, version 2 a list of them. */
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
