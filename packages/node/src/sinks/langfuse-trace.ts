import { type DeliverableScore } from "../delivery/sink.ts";
import { missingTarget, targetMemory, type TargetLookup } from "../delivery/target.ts";
import { type SendToSink, type SinkAnswer } from "./sink-request.ts";

/**
 * Finds the trace of an observation, once for each observation. Langfuse Cloud has only the second version of the
 * observations route, older servers of one's own only the first: the second is asked, and given up for good when the
 * server does not know it. An observation that is not there is `retry` or `permanent` with `isAbsent`.
 */
export function langfuseTraceLookup(send: SendToSink, clock: () => number) {
  const look = targetMemory<string>();
  let knowsSecondVersion = true;

  async function ask(observationId: string, signal: AbortSignal): Promise<SinkAnswer> {
    if (knowsSecondVersion) {
      const answer = await send({ method: "GET", path: secondVersion(observationId) }, signal);
      if (answer.kind === "none" || ![404, 405, 410, 501].includes(answer.status)) return answer;
      knowsSecondVersion = false;
    }
    const path = `/api/public/observations/${encodeURIComponent(observationId)}`;
    return await send({ method: "GET", path }, signal);
  }

  return async (
    score: DeliverableScore & { observationId: string },
    signal: AbortSignal,
  ): Promise<LangfuseTrace> => {
    return await look(score.observationId, async () => {
      const answer = await ask(score.observationId, signal);
      const traceId = traceIn(answer);
      if (traceId !== undefined) return { target: traceId };
      if (answer.kind === "none") return { outcome: "retry", reason: answer.reason };
      if (mayChange(answer.status))
        return { outcome: "retry", reason: answer.reason, afterInMs: answer.afterInMs };
      return {
        ...missingTarget(score, `${answer.reason}: the observation is not there`, clock()),
        isAbsent: true,
      };
    });
  };
}

export type LangfuseTrace = TargetLookup<string> & { isAbsent?: true };

/** The first version answers the observation, the second a list of them. */
function traceIn(answer: SinkAnswer): string | undefined {
  if (answer.kind === "none" || answer.status !== 200) return undefined;
  const body = answer.body as { traceId?: unknown; data?: { traceId?: unknown }[] } | null;
  const traceId = body?.traceId ?? body?.data?.[0]?.traceId;
  return typeof traceId === "string" && traceId !== "" ? traceId : undefined;
}

/** Whether asking again may bring the trace to light; a key that may not read never will. */
const mayChange = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500;

const secondVersion = (observationId: string) => {
  const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: observationId }]);
  return `/api/public/v2/observations?${new URLSearchParams({ fields: "core", limit: "1", filter })}`;
};
