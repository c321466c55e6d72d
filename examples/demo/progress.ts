import { type Afterword } from "@afterword/node";
import { scoreInFile } from "./sink.ts";

/** How far the stored rating of one run has come. */
export interface Progress {
  pushed: boolean;
  acknowledged: boolean;
  score?: object | undefined;
}

/** Reads the progress from the service and from the sink's file. */
export async function readProgress(
  client: Afterword,
  sessionId: string,
  surveyId: string,
  file: string,
): Promise<Progress> {
  const acknowledged = !(await isPending(client, sessionId, surveyId));
  const score = scoreInFile(file, sessionId, surveyId);
  return { pushed: acknowledged || score !== undefined, acknowledged, score };
}

async function isPending(client: Afterword, sessionId: string, surveyId: string): Promise<boolean> {
  for await (const row of client.pendingScores({ includeFailed: true })) {
    if (row.sessionId === sessionId && row.surveyId === surveyId) return true;
  }
  return false;
}
