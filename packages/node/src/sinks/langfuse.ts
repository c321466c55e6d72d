import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import { member } from "../options/json.ts";
import { missingTarget, targetMemory } from "../scores/target.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { eraseEach, httpSink, type Probe, type SinkContext } from "./http-sink.ts";
import { scoreMetadata } from "./score-metadata.ts";
import { basic, checkSecret, type Secret, secretHeaders } from "../options/secret.ts";
import type { HttpSinkOptions, SinkReply } from "./sink-request.ts";
import { hasId, isJsonObject, noTarget, retryOutcome } from "./status-outcome.ts";

/** What `langfuse` takes, beside the options of every HTTP sink. */
export interface LangfuseOptions extends HttpSinkOptions {
  /** Public key of the Langfuse project, `pk-lf-…`. */
  publicKey: string;
  /** Without it only the public key is sent, which may write scores but not look up an observation's trace. */
  secretKey?: Secret | undefined;
  /** Default `https://cloud.langfuse.com`. */
  baseUrl?: string | undefined;
  /** Langfuse environment of the scores: lowercase letters, digits, `-` and `_`. */
  environment?: string | undefined;
}

/**
 * Sends scores to Langfuse (`POST /api/public/scores`). The response's id is the score's id, so a score that is delivered
 * twice stays one score (Langfuse merges by id, name and UTC date). A run reference needs no lookup: its trace is scored,
 * or the span in it. For any other observation the trace is looked up once. Langfuse may show an observation ten minutes
 * late; if it is still missing 15 minutes after the answer, the session gets the score, with the observation in its
 * metadata.
 * @example
 * const sink = langfuse({ publicKey: "pk-lf-…", secretKey: process.env["LANGFUSE_SECRET_KEY"] });
 */
export function langfuse(options: LangfuseOptions): Sink {
  const { baseUrl = "https://cloud.langfuse.com", publicKey, secretKey, environment } = options;
  checkSecret(publicKey, "The public key of Langfuse");
  const traceOf = secretKey === undefined ? notLookedUp : langfuseTraceLookup();

  async function targetOf(score: DeliverableScore, { send, now }: SinkContext) {
    const { sessionId, observationId } = score;
    if (observationId === null) return { sessionId };
    const run = readRunReference(observationId);
    if (run !== undefined) return { traceId: run.traceId, observationId: run.spanId };
    const found = await traceOf(observationId, send);
    if ("target" in found) return { traceId: found.target, observationId };
    // A failed lookup may succeed later, and falling back now would then make a second score.
    if (!("absent" in found)) return found;
    if (sessionId === null) return missingTarget(score, found.absent, now());
    const waitInMs = found.isForGood ? 0 : Date.parse(score.at) + ingestionInMs - now();
    if (waitInMs <= 0) return { sessionId };
    const reason = `${found.absent} yet; 15 minutes after the answer it goes to the session`;
    return { outcome: "retry", reason } as const;
  }

  return httpSink(options, {
    name: "langfuse",
    baseUrl,
    headers:
      secretKey === undefined
        ? async () => ({ authorization: `Bearer ${publicKey}` })
        : secretHeaders(secretKey, "The secret key of Langfuse", basic(publicKey)),
    async deliver(score, call) {
      if (score.sessionId === null && score.observationId === null) return noTarget;
      const target = await targetOf(score, call);
      if ("outcome" in target) return target;
      const body = {
        id: score.id,
        name: score.name,
        ...target,
        ...valueOf(score),
        // Newer servers merge by it; older ones use the time of receipt.
        timestamp: score.at,
        environment,
        metadata: scoreMetadata(score),
      };
      return await call.send({ method: "POST", path: "/api/public/scores", body });
    },
    accepts: isAccepted,
    probes: [secretKey === undefined ? health : ownProject],
    examined:
      secretKey === undefined
        ? "it answers; checking the keys needs a secret key"
        : "the keys are accepted for their project",
    erase: eraseEach(({ id }, { send }) =>
      send({ method: "DELETE", path: `/api/public/scores/${encodeURIComponent(id)}` }),
    ),
  });
}

const health: Probe = {
  path: "/api/public/health",
  accepts: (body) => typeof member(body, "status") === "string",
};

const ownProject: Probe = {
  path: "/api/public/projects",
  accepts: (body) => Array.isArray(member(body, "data")),
};

/** The reply to one score is 200 with its id; newer servers may answer as for a list: 202 with a message, 207 with counts. */
function isAccepted(body: unknown, status: number): boolean {
  if (!isJsonObject(body)) return false;
  if (status === 207) return body["accepted"] === 1;
  return status === 202 ? body["message"] === "Accepted" : hasId(body);
}

/** Longer than the ten minutes that Langfuse may need: a score that has gone to the session stays there. */
const ingestionInMs = 15 * 60_000;

const notLookedUp = async (): Promise<LangfuseTrace> => ({
  isForGood: true,
  absent: "langfuse: looking up an observation's trace needs a secret key",
});

/** In UTF-16 units, of which there are never fewer than characters: some versions of Langfuse count characters. */
const longestTextValue = 500;

/** Langfuse requires a value: without a rating it is the text, cut between two characters; it is whole in the comment. */
function valueOf({ rating, text, thumbs }: DeliverableScore) {
  const comment = text ?? undefined;
  if (thumbs) return { value: Number(thumbs === "up"), dataType: "BOOLEAN", comment };
  if (rating !== null) return { value: rating, dataType: "NUMERIC", comment };
  const value = text?.slice(0, longestTextValue).replace(/[\uD800-\uDBFF]$/, "") ?? "";
  return { value, dataType: "TEXT", comment };
}

/** The trace; or why there is none, for good or until the observation is ingested; or that the lookup failed for now. */
type LangfuseTrace =
  { target: string } | { absent: string; isForGood: boolean } | Extract<Outcome, { outcome: "retry" }>;

/**
 * Makes a lookup of an observation's trace, which it does once per observation. Langfuse Cloud has only version 2 of the
 * observations route, older self-hosted servers only version 1: version 2 is tried first, and dropped for good when the
 * server does not have it.
 */
function langfuseTraceLookup() {
  const look = targetMemory<string, Exclude<LangfuseTrace, { target: string }>>();
  let knowsSecondVersion = true;

  async function ask(observationId: string, send: SinkContext["send"]): Promise<SinkReply> {
    if (knowsSecondVersion) {
      const reply = await send({ method: "GET", path: secondVersion(observationId) });
      if (![404, 405, 410, 501].includes(reply.status)) return reply;
    }
    const path = `/api/public/observations/${encodeURIComponent(observationId)}`;
    const reply = await send({ method: "GET", path });
    // A proxy that answers 404 to everything is no evidence of a version.
    if (isJsonObject(reply.body)) knowsSecondVersion = false;
    return reply;
  }

  return (observationId: string, send: SinkContext["send"]): Promise<LangfuseTrace> =>
    look(observationId, async () => {
      const reply = await ask(observationId, send);
      const traceId = traceIn(reply);
      if (traceId !== undefined) return { target: traceId };
      if (isRetryableStatus(reply.status)) return retryOutcome(reply);
      // Nothing has answered, or a proxy, which knows nothing about observations.
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
  if (reply.status !== 200) return undefined;
  const traceId = member(reply.body, "traceId") ?? member(reply.body, "data", "0", "traceId");
  return typeof traceId === "string" && traceId !== "" ? traceId : undefined;
}

const secondVersion = (observationId: string) => {
  const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: observationId }]);
  return `/api/public/v2/observations?${new URLSearchParams({ fields: "core", limit: "1", filter })}`;
};
