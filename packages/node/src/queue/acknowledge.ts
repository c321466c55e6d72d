import type { ScoreResult } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import type { CallOptions, Transport } from "../http/transport.ts";

export interface AckSummary {
  /** Scores whose state changed. Repeated, unknown and foreign ids change nothing and are not counted. */
  updated: number;
}

/** Acknowledges any number of scores, 200 at a time. What was sent before a failure stays acknowledged. */
export async function acknowledge(
  transport: Transport,
  results: readonly ScoreResult[],
  options: CallOptions = {},
): Promise<AckSummary> {
  let updated = 0;
  for (let from = 0; from < results.length; from += limits.results) {
    const body = { results: results.slice(from, from + limits.results) };
    const reply = await transport.json("POST /v1/sdk/pending-scores/ack", { body }, options);
    updated += reply.updated;
  }
  return { updated };
}
