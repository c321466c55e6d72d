import { defineSink } from "../scores/sink.ts";
import type { DeliverableScore, ErasableScore, ErasureOutcome } from "../scores/sink.ts";
import type { Outcome, Sink, SinkExamination, SinkOptions } from "../scores/sink.ts";
import { sinkRequests } from "./sink-request.ts";
import type { HttpSinkOptions, SinkAddress, SinkReply, SinkRequest } from "./sink-request.ts";
import { type Accepts, erasureOutcome, hasId, namesWhatIsMissing, statusOutcome } from "./status-outcome.ts";

/** What one call of a sink works with. Its signal also ends its requests. */
export interface SinkContext extends SinkOptions {
  send(request: SinkRequest): Promise<SinkReply>;
  /** Milliseconds since 1970. */
  now(): number;
}

/** A request that changes nothing at the service, and the reply it expects. Default method: `GET`. */
export interface Probe extends Partial<SinkRequest> {
  path: string;
  accepts: Accepts;
  /** What is missing when the reply is 404, for people. Default: the base URL is wrong. */
  missing?: string;
}

/** How one service is reached and what it is sent. */
interface HttpService extends SinkAddress {
  /** Delivers a score that has a rating or a text; others are refused without a request. Returns its outcome, or the reply. */
  deliver(score: DeliverableScore, call: SinkContext): Promise<Outcome | SinkReply>;
  accepts: Accepts;
  /** For `examine`: each must get the reply that the service documents. */
  probes: readonly Probe[];
  /** What the replies to all of them show, for people. */
  examined: string;
  /** Deletes scores. A string says what the operator has to do at a service without a route for that. */
  erase: string | ((scores: readonly ErasableScore[], call: SinkContext) => Promise<ErasureOutcome[]>);
}

const nothingToSend = {
  outcome: "permanent",
  reason: "the score has neither a rating nor a text to send",
} as const;

/** No forwarder paces an erasure. */
export const erasuresAtOnce = 4;

/** Creates the sink of a service with an HTTP API. */
export function httpSink(options: HttpSinkOptions, service: HttpService): Sink {
  const { name, probes, examined, erase, accepts } = service;
  const request = sinkRequests(service, options);
  const { clock: now = Date.now } = options;
  const contextWith = ({ signal }: SinkOptions): SinkContext => ({
    signal,
    now,
    send: (one) => request(one, signal),
  });
  return defineSink({
    name,
    deliver(scores, sinkOptions) {
      const call = contextWith(sinkOptions);
      return eachScore(scores, async (score) => {
        if (score.rating === null && !score.text) return nothingToSend;
        const result = await service.deliver(score, call);
        return "status" in result ? statusOutcome(result, accepts) : result;
      });
    },
    async examine(sinkOptions) {
      const { send } = contextWith(sinkOptions);
      for (const probe of probes) {
        const fault = await faultFoundBy(probe, send);
        if (fault !== undefined) return fault;
      }
      return { result: "ok", detail: examined };
    },
    async eraseScores(scores, sinkOptions) {
      if (typeof erase !== "string") return await erase(scores, contextWith(sinkOptions));
      return scores.map(() => ({ outcome: "unsupported", reason: erase }));
    },
  });
}

/** `erase` of a service that deletes one score at a time, which returns its outcome or the reply. */
export const eraseEach =
  (one: (score: ErasableScore, call: SinkContext) => Promise<ErasureOutcome | SinkReply>) =>
  (scores: readonly ErasableScore[], call: SinkContext) =>
    eachScore(
      scores,
      async (score) => {
        const result = await one(score, call);
        return "status" in result ? erasureOutcome(result) : result;
      },
      erasuresAtOnce,
    );

/** A look at one project, which the service answers with its id. */
export const projectProbe = (route: string, projectId: string): Probe => ({
  path: `${route}/${encodeURIComponent(projectId)}`,
  accepts: hasId,
  missing: `no project has the id ${projectId}`,
});

async function faultFoundBy(
  { accepts, missing, ...request }: Probe,
  send: SinkContext["send"],
): Promise<SinkExamination | undefined> {
  const failed = (detail: string, retryable = false) => ({ result: "failed", detail, retryable }) as const;
  const reply = await send({ method: "GET", isLookUp: true, ...request });
  const { status, body, reason } = reply;
  if (status === 404 && missing !== undefined && namesWhatIsMissing(body))
    return failed(`${reason}: ${missing}`);
  const outcome = statusOutcome(reply, accepts);
  if (outcome.outcome === "delivered") return undefined;
  return status > 0 && status < 300
    ? failed(`${reason} but not as this service does; is the base URL right?`)
    : failed(outcome.reason, outcome.outcome === "retry");
}

/** Calls a function for each score, at most `atOnce` at a time. Returns the results in the order of the scores. */
export async function eachScore<Score, Result>(
  scores: readonly Score[],
  one: (score: Score) => Promise<Result>,
  atOnce = Infinity,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < scores.length; at = next++) results[at] = await one(scores[at]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, scores.length) }, work));
  return results;
}
