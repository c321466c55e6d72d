import type { EraseReply } from "@afterword/protocol";
import { defaultScoreName, type SurveyMeaning } from "../delivery/score-value.ts";
import type { ErasableScore, Sink } from "../delivery/sink.ts";
import { ErasureIncompleteError } from "../errors/erasure-incomplete-error.ts";
import type { CallOptions } from "../http/transport.ts";
import { askToErase } from "../sinks/ask-to-erase.ts";
import type { EraseRespondent } from "./erase-selector.ts";
import type { Privacy } from "./privacy.ts";

export interface EraseEverywhereOptions extends CallOptions {
  /** Where the person's scores were delivered to. */
  sinks: readonly Sink[];
  /** The same map that the forwarder is given, if it names scores. */
  surveys?: Readonly<Record<string, SurveyMeaning>>;
}

/** What happened at one sink. */
export interface SinkErasure {
  sink: string;
  erased: number;
  /** Scores that the sink cannot delete, with what to do by hand. */
  unsupported: number;
  failed: number;
  /** Why not, each reason once. */
  reasons: string[];
}

export interface EraseEverywhereReport {
  /** Ids of the responses, which are the ids of their scores. */
  responseIds: string[];
  sinks: SinkErasure[];
  /** What the service has erased. */
  service: EraseReply;
}

const scoresPerCall = 100;

/**
 * Deletes a person's scores at the sinks, then everything at the service (decision D105). When a sink fails, nothing
 * is erased at the service, which alone knows the ids: an `ErasureIncompleteError` tells what happened, and the call
 * can be repeated. After the service the sinks are swept once more, for a score that was pushed in between. A forwarder
 * that runs may hold rows that it has fetched for up to a minute: stop it before, or call this again after that.
 */
export async function eraseEverywhere(
  privacy: Pick<Privacy, "export" | "erase">,
  selector: EraseRespondent,
  { sinks, surveys = {}, ...options }: EraseEverywhereOptions,
): Promise<EraseEverywhereReport> {
  const scores: ErasableScore[] = [];
  for await (const { id, surveyId = null, at = null } of privacy.export({ ...selector }, options)) {
    if (id !== undefined) scores.push({ id, surveyId, at, name: nameOf(surveyId, surveys) });
  }
  const responseIds = scores.map(({ id }) => id);
  const signal = options.signal ?? new AbortController().signal;
  const sweep = () => Promise.all(sinks.map((sink) => eraseAtSink(sink, scores, signal)));
  const first = await sweep();
  if (first.some(({ failed }) => failed > 0)) throw new ErasureIncompleteError(first, responseIds);
  const service = await privacy.erase(selector, options);
  const second = await sweep();
  if (second.some(({ failed }) => failed > 0)) throw new ErasureIncompleteError(second, responseIds, service);
  return { responseIds, sinks: second, service };
}

function nameOf(surveyId: string | null, surveys: Readonly<Record<string, SurveyMeaning>>): string {
  const meaning = surveyId !== null && Object.hasOwn(surveys, surveyId) ? surveys[surveyId] : undefined;
  return (typeof meaning === "object" ? meaning.name : undefined) ?? defaultScoreName;
}

async function eraseAtSink(
  sink: Sink,
  scores: readonly ErasableScore[],
  signal: AbortSignal,
): Promise<SinkErasure> {
  const result: SinkErasure = { sink: sink.name, erased: 0, unsupported: 0, failed: 0, reasons: [] };
  for (let from = 0; from < scores.length; from += scoresPerCall) {
    const batch = scores.slice(from, from + scoresPerCall);
    for (const outcome of await askToErase(sink, batch, { signal })) {
      result[outcome.outcome] += 1;
      if ("reason" in outcome && !result.reasons.includes(outcome.reason))
        result.reasons.push(outcome.reason);
    }
  }
  return result;
}
