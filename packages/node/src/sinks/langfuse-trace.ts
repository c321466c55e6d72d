import { member } from "../options/json.ts";
import type { Outcome } from "../scores/sink.ts";
import { targetMemory } from "../scores/target.ts";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import type { SinkCall } from "./http-sink.ts";
import type { SinkReply } from "./sink-request.ts";
import { isJsonObject, retryOutcome } from "./status-outcome.ts";

/** The trace; or why there is none, for good or until the observation is ingested; or that the lookup failed for now. */
export type LangfuseTrace =
  { target: string } | { absent: string; isForGood: boolean } | Extract<Outcome, { outcome: "retry" }>;

/**
 * Makes a lookup of an observation's trace, which it does once per observation. Langfuse Cloud has only version 2 of the
 * observations route, older self-hosted servers only version 1: version 2 is tried first, and dropped for good when the
 * server does not have it.
 */
export function langfuseTraceLookup() {
  const look = targetMemory<string, Exclude<LangfuseTrace, { target: string }>>();
  let knowsSecondVersion = true;

  async function ask(observationId: string, send: SinkCall["send"]): Promise<SinkReply> {
    if (knowsSecondVersion) {
      const reply = await send({ method: "GET", path: secondVersion(observationId) });
      if (reply.kind === "none" || ![404, 405, 410, 501].includes(reply.status)) return reply;
    }
    const path = `/api/public/observations/${encodeURIComponent(observationId)}`;
    const reply = await send({ method: "GET", path });
    // A proxy that answers 404 to everything is no evidence of a version.
    if (reply.kind === "reply" && isJsonObject(reply.body)) knowsSecondVersion = false;
    return reply;
  }

  return (observationId: string, send: SinkCall["send"]): Promise<LangfuseTrace> =>
    look(observationId, async () => {
      const reply = await ask(observationId, send);
      const traceId = traceIn(reply);
      if (traceId !== undefined) return { target: traceId };
      if (reply.kind === "none" || isRetryableStatus(reply.status)) return retryOutcome(reply);
      // A proxy has answered, which knows nothing about observations.
      if (!isJsonObject(reply.body)) return { ...retryOutcome(reply), scope: "sink" };
      // A later lookup may find the trace, but not with a key that may not read.
      const isForGood = [401, 403].includes(reply.status);
      return {
        absent: `${reply.reason}: ${isForGood ? "may not look it up" : "no such observation"}`,
        isForGood,
      };
    });
}

/** Version 1 returns the observation, version 2 a list of them. */
function traceIn(reply: SinkReply): string | undefined {
  if (reply.kind === "none" || reply.status !== 200) return undefined;
  const traceId = member(reply.body, "traceId") ?? member(reply.body, "data", "0", "traceId");
  return typeof traceId === "string" && traceId !== "" ? traceId : undefined;
}

const secondVersion = (observationId: string) => {
  const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: observationId }]);
  return `/api/public/v2/observations?${new URLSearchParams({ fields: "core", limit: "1", filter })}`;
};
