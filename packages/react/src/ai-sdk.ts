import type { HandedOverRun } from "@afterword/protocol";
import { runDataPart, runMetadataKey } from "@afterword/protocol/handed-over-run";

export type { HandedOverRun };

/** The part of a `useChat` message that is read (ai 5 or newer). */
export interface ChatMessage {
  metadata?: unknown;
  parts: readonly { type: string; data?: unknown }[];
}

/**
 * Returns the run that the server handed over with this message, for `<Thumbs run={…} />` or `useRunFeedback`: from its
 * metadata (`afterword`), otherwise from its last `data-afterword` part. `undefined` until it arrives. Throws a
 * TypeError for messages of ai 4 or older, which have no parts.
 * @example
 * const runs = (messages: ChatMessage[]) => messages.map(runOf); // one for each message, or undefined
 */
export function runOf({ metadata, parts }: ChatMessage): HandedOverRun | undefined {
  if (!Array.isArray(parts))
    throw new TypeError("afterword: a message without parts; runOf() needs ai 5 or newer");
  const fromMetadata = (metadata as Record<string, unknown> | null | undefined)?.[runMetadataKey];
  const run = fromMetadata ?? parts.findLast(({ type }) => type === runDataPart)?.data;
  // It comes from the server's stream and may hold anything.
  const { tokens, sessionId } = (run ?? {}) as Partial<HandedOverRun>;
  return tokens && typeof sessionId === "string" ? (run as HandedOverRun) : undefined;
}
