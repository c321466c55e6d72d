import { type Afterword } from "@afterword/node";
import { scoreInFile } from "./sink.ts";

/** The progress of one session's rating. */
export interface Progress {
  /** The service has a response of this visitor. */
  stored: boolean;
  /** It is linked to the session: in the queue, or delivered. */
  linked: boolean;
  pushed: boolean;
  acknowledged: boolean;
  score?: object;
}

/** Reads the progress from the service and from the sink's file. */
export async function readProgress(
  client: Afterword,
  visitor: string,
  sessionId: string,
  file: string,
): Promise<Progress> {
  const pending = await isPending(client, sessionId);
  const stored = await hasResponse(client, visitor);
  const score = scoreInFile(file, sessionId);
  const acknowledged = stored && !pending;
  // Each token of the demo is minted for a session, so what is stored is linked.
  return { stored, linked: stored, pushed: acknowledged || score !== undefined, acknowledged, score };
}

async function isPending(client: Afterword, sessionId: string): Promise<boolean> {
  for await (const row of client.pendingScores({ includeFailed: true })) {
    if (row.sessionId === sessionId) return true;
  }
  return false;
}

async function hasResponse(client: Afterword, respondentId: string): Promise<boolean> {
  for await (const _row of client.privacy.export({ respondentId })) return true;
  return false;
}
