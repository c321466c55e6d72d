import { type DeliverableScore, defineSink, type Outcome, type Sink } from "../scores/sink.ts";
import { missingTarget } from "../scores/target.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { deliverEach, eachErasure } from "./each-score.ts";
import { type LangfuseTrace, langfuseTraceLookup } from "./langfuse-trace.ts";
import { scoreMetadata } from "./score-metadata.ts";
import { checkSecret, type Secret, secretHeaders } from "./secret.ts";
import { examineBy, type Probe } from "./sink-examination.ts";
import { type HttpSinkOptions, sinkRequests } from "./sink-request.ts";
import { erasureOutcome, hasId, isJsonObject, noTarget, statusOutcome } from "./status-outcome.ts";

export interface LangfuseOptions extends HttpSinkOptions {
  publicKey: string;
  /** Without it only the public key is sent, which may write scores but not look up an observation's trace. */
  secretKey?: Secret;
  /** Default `https://cloud.langfuse.com`. */
  baseUrl?: string;
  /** Langfuse environment of the scores: lowercase letters, digits, `-` and `_`. */
  environment?: string;
}

/**
 * Sends scores to Langfuse (`POST /api/public/scores`). The response's id is the score's id, so a row that is delivered
 * twice stays one score (Langfuse merges by id, name and UTC date). A run reference needs no lookup: its trace is scored,
 * or the span in it. For any other observation the trace is looked up once. Langfuse may show an observation ten minutes
 * late; if it is still missing 15 minutes after the answer, the session gets the score, with the observation in its
 * metadata.
 */
export function langfuse(options: LangfuseOptions): Sink {
  const {
    baseUrl = "https://cloud.langfuse.com",
    publicKey,
    secretKey,
    environment,
    clock = Date.now,
  } = options;
  checkSecret(publicKey, "The public key of Langfuse");
  const headers = keyHeaders(publicKey, secretKey);
  const send = sinkRequests({ name: "langfuse", baseUrl, headers }, options);
  const traceOf = secretKey === undefined ? notLookedUp : langfuseTraceLookup(send);

  async function deliverOne(score: DeliverableScore, signal: AbortSignal): Promise<Outcome> {
    if (score.sessionId === null && score.observationId === null) return noTarget;
    const target = await targetOf(score, signal);
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
    return statusOutcome(await send({ method: "POST", path: "/api/public/scores", body }, signal), {
      accepts: isAccepted,
    });
  }

  async function targetOf(score: DeliverableScore, signal: AbortSignal) {
    const { sessionId, observationId } = score;
    if (observationId === null) return { sessionId };
    const run = readRunReference(observationId);
    if (run !== undefined) return { traceId: run.traceId, observationId: run.spanId };
    const found = await traceOf(observationId, signal);
    if ("target" in found) return { traceId: found.target, observationId };
    // A failed lookup may succeed later, and falling back now would then make a second score.
    if (!("absent" in found)) return found;
    if (sessionId === null) return missingTarget(score, found.absent, clock());
    const waitInMs = found.isForGood ? 0 : Date.parse(score.at) + ingestionInMs - clock();
    return waitInMs > 0 ? waiting(found.absent) : { sessionId };
  }

  return defineSink({
    name: "langfuse",
    deliver: deliverEach(deliverOne),
    examine:
      secretKey === undefined
        ? examineBy(send, [health], "it answers; checking the keys needs a secret key")
        : examineBy(send, [ownProject], "the keys are accepted for their project"),
    eraseScores: eachErasure(async ({ id }, signal) =>
      erasureOutcome(
        await send({ method: "DELETE", path: `/api/public/scores/${encodeURIComponent(id)}` }, signal),
      ),
    ),
  });
}

const health: Probe = {
  path: "/api/public/health",
  accepts: (reply) => isJsonObject(reply) && typeof reply["status"] === "string",
};

const ownProject: Probe = {
  path: "/api/public/projects",
  accepts: (reply) => isJsonObject(reply) && Array.isArray(reply["data"]),
};

/** The reply to one score is 200 with its id; newer servers may answer as for a list: 202 with a message, 207 with counts. */
function isAccepted(reply: unknown, status: number): boolean {
  if (!isJsonObject(reply)) return false;
  if (status === 207) return reply["accepted"] === 1;
  return status === 202 ? reply["message"] === "Accepted" : hasId(reply);
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
