import { streamText } from "ai";
import { MockLanguageModelV4, convertArrayToReadableStream } from "ai/test";

export type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>> extends { stream: ReadableStream<infer Part> }
    ? Part
    : never;

export const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export type Reason = "stop" | "length" | "error" | "content-filter" | "tool-calls" | "interrupted" | "other";

export function parts(reason: Reason, ...more: StreamPart[]): StreamPart[] {
  return [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "Refunded." },
    ...more,
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: { unified: reason, raw: reason }, usage },
  ];
}

export const streaming = (...given: StreamPart[]) =>
  streamText({
    model: new MockLanguageModelV4({
      doStream: async () => ({ stream: convertArrayToReadableStream(given) }),
    }),
    prompt: "Refund my order",
    onError: () => undefined,
  });

/** A model that begins to answer and is then aborted. */
export function aborted() {
  const abort = new AbortController();
  const model = new MockLanguageModelV4({
    doStream: async ({ abortSignal }) => ({
      stream: new ReadableStream<StreamPart>({
        start(controller) {
          for (const part of parts("stop").slice(0, 3)) controller.enqueue(part);
          abortSignal?.addEventListener("abort", () => controller.error(abortSignal.reason));
        },
        pull: () => abort.abort(),
      }),
    }),
  });
  return streamText({
    model,
    prompt: "Refund my order",
    abortSignal: abort.signal,
    onError: () => undefined,
  });
}
