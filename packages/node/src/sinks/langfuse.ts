import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import { missingTarget } from "../scores/target.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { eraseEach, httpSink, type Probe, type SinkCall } from "./http-sink.ts";
import { type LangfuseTrace, langfuseTraceLookup } from "./langfuse-trace.ts";
import { scoreMetadata } from "./score-metadata.ts";
import { checkSecret, type Secret, secretHeaders } from "./secret.ts";
import type { HttpSinkOptions } from "./sink-request.ts";
import { erasureOutcome, hasId, isJsonObject, noTarget, statusOutcome } from "./status-outcome.ts";

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
 */
export function langfuse(options: LangfuseOptions): Sink {
  const { baseUrl = "https://cloud.langfuse.com", publicKey, secretKey, environment } = options;
  checkSecret(publicKey, "The public key of Langfuse");
  const traceOf = secretKey === undefined ? notLookedUp : langfuseTraceLookup();

  async function targetOf(score: DeliverableScore, { send, now }: SinkCall) {
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
    return waitInMs > 0 ? waiting(found.absent) : { sessionId };
  }

  return httpSink(options, {
    name: "langfuse",
    baseUrl,
    headers: keyHeaders(publicKey, secretKey),
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
      const reply = await call.send({ method: "POST", path: "/api/public/scores", body });
      return statusOutcome(reply, { accepts: isAccepted });
    },
    probes: [secretKey === undefined ? health : ownProject],
    examined:
      secretKey === undefined
        ? "it answers; checking the keys needs a secret key"
        : "the keys are accepted for their project",
    erase: eraseEach(async ({ id }, { send }) =>
      erasureOutcome(await send({ method: "DELETE", path: `/api/public/scores/${encodeURIComponent(id)}` })),
    ),
  });
}

const health: Probe = {
  path: "/api/public/health",
  accepts: (body) => isJsonObject(body) && typeof body["status"] === "string",
};

const ownProject: Probe = {
  path: "/api/public/projects",
  accepts: (body) => isJsonObject(body) && Array.isArray(body["data"]),
};

/** The reply to one score is 200 with its id; newer servers may answer as for a list: 202 with a message, 207 with counts. */
function isAccepted(body: unknown, status: number): boolean {
  if (!isJsonObject(body)) return false;
  if (status === 207) return body["accepted"] === 1;
  return status === 202 ? body["message"] === "Accepted" : hasId(body);
}

/** Longer than the ten minutes that Langfuse may need: a score that has gone to the session stays there. */
const ingestionInMs = 15 * 60_000;

const waiting = (reason: string): Outcome => ({
  outcome: "retry",
  reason: `${reason} yet; 15 minutes after the answer it goes to the session`,
});

const notLookedUp = async (): Promise<LangfuseTrace> => ({
  isForGood: true,
  absent: "langfuse: looking up an observation's trace needs a secret key",
});

function keyHeaders(publicKey: string, secretKey: Secret | undefined) {
  if (secretKey === undefined) return async () => ({ authorization: `Bearer ${publicKey}` });
  return secretHeaders(secretKey, "The secret key of Langfuse", (key) => ({
    authorization: `Basic ${btoa(`${publicKey}:${key}`)}`,
  }));
}

/** In UTF-16 units, of which there are never fewer than characters: some versions of Langfuse count characters. */
const longestTextValue = 500;

/** Never cuts through a character. */
function cutTo(longest: number, text: string): string {
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return text.length > longest ? text.slice(0, end) : text;
}

/** Langfuse requires a value: without a rating it is the text, which is whole in the comment. */
function valueOf({ rating, text }: DeliverableScore) {
  const comment = text ?? undefined;
  if (rating !== null) return { value: rating, dataType: "NUMERIC", comment };
  return { value: cutTo(longestTextValue, text ?? ""), dataType: "TEXT", comment };
}
