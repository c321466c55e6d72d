import {
  type DeliverableScore,
  defineSink,
  type ErasableScore,
  type Outcome,
  type Sink,
} from "../scores/sink.ts";
import { missingTarget } from "../scores/target.ts";
import { readRunReference } from "../scores/run-reference.ts";
import { eachErasure, eachScore } from "./each-score.ts";
import { erasureOutcome } from "./erasure-outcome.ts";
import { type LangfuseTrace, langfuseTraceLookup } from "./langfuse-trace.ts";
import { scoreMetadata } from "./score-metadata.ts";
import { checkSecret, type Secret, secretHeaders } from "./secret.ts";
import { examineBy, type Probe } from "./sink-examination.ts";
import { type HttpSinkOptions, sinkRequests } from "./sink-request.ts";
import { isJsonObject, nothingToSend, noTarget, statusOutcome } from "./status-outcome.ts";

export interface LangfuseOptions extends HttpSinkOptions {
  publicKey: string;
  /** Without it the public key alone is sent, which may write scores but not look up the trace of an observation. */
  secretKey?: Secret;
  /** Default `https://cloud.langfuse.com`. */
  baseUrl?: string;
  /** Langfuse environment of the scores: lower-case letters, digits, `-` and `_`. */
  environment?: string;
}

/**
 * Scores in Langfuse, by `POST /api/public/scores`. The response's id is the score's id, so that the same row twice is
 * one score (Langfuse merges by id, name and UTC date). A run reference is a score of its trace, or of the span in it,
 * without a look-up. Any other observation needs its trace, which is looked up once. Langfuse may show an observation ten
 * minutes late: one that is not there 15 minutes after the answer leaves the score to the session, and the score's
 * metadata names the observation.
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
    const value = valueOf(score);
    if (value === null) return nothingToSend;
    const target = await targetOf(score, signal);
    if ("outcome" in target) return target;
    const body = {
      id: score.id,
      name: score.name,
      ...target,
      ...value,
      // A server that knows the field merges by it; older ones take the time of receipt.
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
    // Only what is not there falls back: a failed look-up may succeed later, and would then make a second score.
    if (!("absent" in found)) return found;
    if (sessionId === null) return missingTarget(score, found.absent, clock());
    const waitInMs = found.isForGood ? 0 : Date.parse(score.at) + ingestionInMs - clock();
    return waitInMs > 0 ? waiting(found.absent) : { sessionId };
  }

  return defineSink({
    name: "langfuse",
    deliver: eachScore(deliverOne),
    examine:
      secretKey === undefined
        ? examineBy(send, [health], "it answers; its keys cannot be looked at without a secret key")
        : examineBy(send, [ownProject], "the keys are accepted for their project"),
    eraseScores: eachErasure(async ({ id }: ErasableScore, signal) =>
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

/**
 * One score is answered by 200 and its id. For a list, which newer servers take as well, they answer 202 and a message,
 * or 207 and counts.
 */
function isAccepted(reply: unknown, status: number): boolean {
  if (!isJsonObject(reply)) return false;
  if (status === 207) return reply["accepted"] === 1;
  return status === 202 ? reply["message"] === "Accepted" : typeof reply["id"] === "string";
}

/** What Langfuse may take to show an observation is ten minutes; a score that has moved to the session stays there. */
const ingestionInMs = 15 * 60_000;

const waiting = (reason: string): Outcome => ({
  outcome: "retry",
  reason: `${reason} yet; 15 minutes after the answer it goes to the session`,
});

const notLookedUp = async (): Promise<LangfuseTrace> => ({
  isForGood: true,
  absent: "langfuse: the trace of an observation can be looked up only with a secret key",
});

function keyHeaders(publicKey: string, secretKey: Secret | undefined) {
  if (secretKey === undefined) return async () => ({ authorization: `Bearer ${publicKey}` });
  return secretHeaders(secretKey, "The secret key of Langfuse", (key) => ({
    authorization: `Basic ${btoa(`${publicKey}:${key}`)}`,
  }));
}

/** In UTF-16 units, of which there are never fewer than characters: versions of Langfuse count the one or the other. */
const longestTextValue = 500;

/** Never through the middle of a character. */
function cutTo(longest: number, text: string): string {
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return text.length > longest ? text.slice(0, end) : text;
}

/** Langfuse scores have a value: without a rating it is the text, whose whole length goes into the comment. */
function valueOf({ rating, text }: DeliverableScore) {
  const comment = text ?? undefined;
  if (rating !== null) return { value: rating, dataType: "NUMERIC", comment };
  if (text === null || text === "") return null;
  return { value: cutTo(longestTextValue, text), dataType: "TEXT", comment };
}
