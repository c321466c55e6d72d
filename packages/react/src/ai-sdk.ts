import type { HandedOverRun } from "@afterword/protocol";
import { runDataPart, runMetadataKey } from "@afterword/protocol/handed-over-run";

export type { HandedOverRun };

/** What is read of a message of `useChat` (ai 5 or newer). */
export interface ChatMessage {
  metadata?: unknown;
  parts: readonly { type: string; data?: unknown }[];
}

/**
 * The run that the server handed over with this message, for `<Thumbs run={…} />` or `useRunFeedback`: from its metadata
 * (`afterword`), else from its last data part `data-afterword`. `undefined` until it has arrived. Throws a TypeError for
 * messages of ai 4 or older, which have no parts.
 */
export function runOf({ metadata, parts }: ChatMessage): HandedOverRun | undefined {
  if (!Array.isArray(parts))
    throw new TypeError("afterword: a message without parts; runOf() needs ai 5 or newer");
  const fromMetadata = (metadata as Record<string, unknown> | null | undefined)?.[runMetadataKey];
  const run = fromMetadata ?? parts.findLast(({ type }) => type === runDataPart)?.data;
  // From the server's stream: it may hold anything.
  const { tokens, sessionId } = (run ?? {}) as Partial<HandedOverRun>;
  return tokens && typeof sessionId === "string" ? (run as HandedOverRun) : undefined;
}
