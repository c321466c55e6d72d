import type { EraseReply } from "@afterword/protocol";
import { scoreNameOf, type ScoreNameOptions } from "../delivery/score-value.ts";
import type { ErasableScore, Sink } from "../delivery/sink.ts";
import { ErasureIncompleteError } from "../errors/erasure-incomplete-error.ts";
import type { CallOptions } from "../http/transport.ts";
import { eraseAtSink, type SinkErasure } from "./erase-at-sink.ts";
import type { EraseRespondent } from "./erase-selector.ts";
import type { Patience, Privacy } from "./privacy.ts";

/** `surveys` and `scoreName` as the forwarder is given them. The sinks that can delete go by the response's id. */
export interface EraseEverywhereOptions extends CallOptions, ScoreNameOptions {
  /** Where the person's scores were delivered to. */
  sinks: readonly Sink[];
}

export interface EraseEverywhereReport {
  /** Ids of the responses, which are the ids of their scores. */
  responseIds: string[];
  sinks: SinkErasure[];
  /** What the service has erased. */
  service: EraseReply;
}

/**
 * Deletes a person's scores at the sinks, then everything at the service (decision D105). When a sink fails, nothing
 * is erased at the service, which alone knows the ids: an `ErasureIncompleteError` tells what happened, and the call
 * can be repeated. After the service the sinks are swept once more, for a score that was pushed in between. A forwarder
 * that runs may hold rows that it has fetched for up to a minute: stop it before, or call this again after that.
 */
export async function eraseEverywhere(
  privacy: Pick<Privacy, "export" | "erase">,
  patience: Patience,
  selector: EraseRespondent,
  { sinks, surveys, scoreName, ...options }: EraseEverywhereOptions,
): Promise<EraseEverywhereReport> {
  const scores: ErasableScore[] = [];
  for await (const { id, surveyId = null, at = null } of privacy.export({ ...selector }, options)) {
    const name = surveyId === null ? null : scoreNameOf(surveyId, { surveys, scoreName });
    if (id !== undefined) scores.push({ id, surveyId, at, name });
  }
  const responseIds = scores.map(({ id }) => id);
  const signal = options.signal ?? new AbortController().signal;
  const sweep = () => Promise.all(sinks.map((sink) => eraseAtSink(sink, scores, patience, signal)));
  const first = await sweep();
  if (first.some(({ failed }) => failed > 0)) throw new ErasureIncompleteError(first, responseIds);
  const service = await privacy.erase(selector, options);
  const second = await sweep();
  if (second.some(({ failed }) => failed > 0)) throw new ErasureIncompleteError(second, responseIds, service);
  return { responseIds, sinks: second, service };
}
