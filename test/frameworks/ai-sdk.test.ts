import { runDataPart, runMetadataKey, withFeedback, type AiSdkOptions } from "@afterword/node/ai-sdk";
import {
  createUIMessageStreamResponse,
  generateText,
  isStepCount,
  readUIMessageStream,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from "ai";
import { MockLanguageModelV4, convertArrayToReadableStream } from "ai/test";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { aClient, aSilentClient, readAll } from "./a-client.ts";
import { aborted, parts, streaming, usage, type Reason, type StreamPart } from "./ai-sdk-models.ts";
import { answer } from "./recipes/ai-sdk.ts";

const optionsWith = (more: Partial<AiSdkOptions> = {}): AiSdkOptions => ({
  client: aClient(),
  respondentId: "respondent-1",
  sessionId: "session-1",
  ...more,
});

type Run = ReturnType<typeof streaming>;
const forPage = (run: Run) => toUIMessageStream({ stream: run.stream });
const handedOver = { tokens: { csat: "st2.token" }, sessionId: "session-1" };
const metadataChunk = { type: "message-metadata", messageMetadata: { [runMetadataKey]: handedOver } };

const callsTool: StreamPart[] = [
  { type: "tool-call", toolCallId: "1", toolName: "refund", input: "{}" },
  { type: "finish", finishReason: { unified: "tool-calls", raw: "tool-calls" }, usage },
];

/** A model that gives one stream of parts after the other to a run with a tool. */
const withTools = (steps: StreamPart[][], tools: Parameters<typeof streamText>[0]["tools"]) =>
  streamText({
    model: new MockLanguageModelV4({
      doStream: async () => ({ stream: convertArrayToReadableStream(steps.shift()!) }),
    }),
    prompt: "Refund my order",
    stopWhen: isStepCount(3),
    tools,
    onError: () => undefined,
  });

const inputSchema = z.object({});
const refund = tool({ inputSchema, execute: async () => "ok" });
const refundByPage = tool({ inputSchema });
const refundAfterApproval = tool({ inputSchema, execute: async () => "ok", needsApproval: true });

describe("a stream for a page", () => {
  it("keeps every chunk, and ends with the run in the message's metadata", async () => {
    const bare = await readAll(forPage(streaming(...parts("stop"))));
    const { result } = withFeedback(forPage(streaming(...parts("stop"))), optionsWith());
    await expect(readAll(result)).resolves.toEqual([...bare, metadataChunk]);
  });

  it("carries it in a data part instead if it is told to", async () => {
    const options = optionsWith({ carryIn: "data-part" });
    const { result } = withFeedback(forPage(streaming(...parts("stop"))), options);
    expect((await readAll(result)).at(-1)).toEqual({ type: runDataPart, data: handedOver });
  });

  it("is read by the AI SDK's own client, beside metadata of the host", async () => {
    const { stream } = streaming(...parts("stop"));
    const page = toUIMessageStream({ stream, messageMetadata: () => ({ model: "fake" }) });
    const { result } = withFeedback(page, optionsWith());
    const messages = await readAll(readUIMessageStream<UIMessage>({ stream: result }));
    expect(messages.at(-1)?.metadata).toEqual({ model: "fake", [runMetadataKey]: handedOver });
  });

  it("passes every chunk on before a mint that never answers, and then closes", async () => {
    const onError = vi.fn<(error: Error) => void>();
    const options = optionsWith({ client: aSilentClient(), timeoutInMs: 5, onError });
    const { result, feedback } = withFeedback(forPage(streaming(...parts("stop"))), options);
    const bare = await readAll(forPage(streaming(...parts("stop"))));
    const reader = result.getReader();
    for (const chunk of bare) expect((await reader.read()).value).toEqual(chunk);
    expect(onError).not.toHaveBeenCalled();
    expect((await reader.read()).done).toBe(true);
    await expect(feedback).resolves.toBeUndefined();
    expect(onError.mock.calls[0]![0].message).toContain("no reply within 5 ms");
  });
});

/** The ways in which a server hands a run to its page or reads it itself. */
const readings: [string, (run: Run, options: AiSdkOptions) => Promise<unknown>][] = [
  [
    "a stream for a page",
    async (run, options) => {
      const { result, feedback } = withFeedback(forPage(run), options);
      await readAll(result);
      return feedback;
    },
  ],
  [
    "a stream of parts",
    async (run, options) => {
      const { result, feedback } = withFeedback(run.stream, options);
      await readAll(result);
      return feedback;
    },
  ],
  [
    "the result, read as text",
    async (run, options) => {
      const { result, feedback } = withFeedback(run, options);
      await readAll(result.textStream);
      return feedback;
    },
  ],
  [
    "the result, which the server consumes",
    async (run, options) => {
      const { result, feedback } = withFeedback(run, options);
      await result.consumeStream();
      return feedback;
    },
  ],
  [
    "the result, as a response",
    async (run, options) => {
      const { result, feedback } = withFeedback(run, options);
      await result.toUIMessageStreamResponse().text();
      return feedback;
    },
  ],
];

describe.each(readings)("a run that is given as %s", (_, feedbackOf) => {
  it("mints once when it stops by itself, also after tools", async () => {
    const client = aClient();
    const run = withTools([callsTool, parts("stop")], { refund });
    await expect(feedbackOf(run as Run, optionsWith({ client }))).resolves.toMatchObject(handedOver);
    expect(client.mints).toMatchObject([{ respondentId: "respondent-1", sessionId: "session-1" }]);
  });

  it.each<Reason>(["error", "length", "content-filter", "interrupted"])(
    "mints nothing when it finishes with %s",
    async (reason) => {
      await expect(feedbackOf(streaming(...parts(reason)), optionsWith())).resolves.toBeUndefined();
    },
  );

  it("mints nothing when the model's stream is cut before its finish, or empty", async () => {
    await expect(feedbackOf(streaming(...parts("stop").slice(0, 3)), optionsWith())).resolves.toBeUndefined();
    await expect(feedbackOf(streaming(), optionsWith())).resolves.toBeUndefined();
  });

  it("mints nothing when it is aborted, or reports an error", async () => {
    await expect(feedbackOf(aborted(), optionsWith())).resolves.toBeUndefined();
    const broken = streaming(...parts("stop", { type: "error", error: new Error("the model hung up") }));
    await expect(feedbackOf(broken, optionsWith())).resolves.toBeUndefined();
  });

  it.each([
    ["a tool of the page", { refund: refundByPage }, [callsTool]],
    ["an approval", { refund: refundAfterApproval }, [callsTool]],
    ["a further step than it may take", { refund }, [callsTool, callsTool, callsTool]],
  ])("mints nothing while it waits for %s", async (_what, tools, steps) => {
    const run = withTools([...steps], tools);
    await expect(feedbackOf(run as Run, optionsWith())).resolves.toBeUndefined();
  });

  it("mints after a failure if it is told to", async () => {
    const options = optionsWith({ mintAfterFailure: true });
    await expect(feedbackOf(streaming(...parts("length")), options)).resolves.toMatchObject(handedOver);
  });
});

describe("the result of streamText", () => {
  it("stays the same object, and carries the run in its streams for pages", async () => {
    const run = streaming(...parts("stop"));
    const { result } = withFeedback(run, optionsWith());
    expect(result).toBe(run);
    expect((await readAll(result.toUIMessageStream())).at(-1)).toEqual(metadataChunk);
    await expect(result.text).resolves.toBe("Refunded.");
  });

  it("is not read by the wrapper: what its reader does not ask for is not generated", async () => {
    const pulls = vi.fn<() => void>();
    const model = new MockLanguageModelV4({
      doStream: async () => ({ stream: new ReadableStream({ pull: pulls }, { highWaterMark: 0 }) }),
    });
    const { result } = withFeedback(streamText({ model, prompt: "Refund my order" }), optionsWith());
    await result.stream.cancel();
    expect(pulls.mock.calls.length).toBeLessThanOrEqual(1);
  });
});

describe("a run without a stream", () => {
  const generating = (reason: Reason) => {
    const content = [{ type: "text" as const, text: "Refunded." }];
    const finishReason = { unified: reason, raw: reason };
    const doGenerate = async () => ({ content, finishReason, usage, warnings: [] });
    return generateText({ model: new MockLanguageModelV4({ doGenerate }), prompt: "Refund my order" });
  };

  it("mints when it stops by itself, and not when it was cut off", async () => {
    const stopped = withFeedback(generating("stop"), optionsWith());
    expect((await stopped.result).text).toBe("Refunded.");
    await expect(stopped.feedback).resolves.toMatchObject(handedOver);
    await expect(withFeedback(generating("length"), optionsWith()).feedback).resolves.toBeUndefined();
  });
});

describe("two turns of one session", () => {
  it("mint each, by the documented recipe", async () => {
    const client = aClient();
    const doStream = async () => ({ stream: convertArrayToReadableStream(parts("stop")) });
    const chat = { id: "chat-1", userId: "jo", model: new MockLanguageModelV4({ doStream }) };
    for (const question of ["Refund my order", "Thank you"]) {
      const text = await answer(client, chat, question).text();
      expect(text).toContain(JSON.stringify({ tokens: handedOver.tokens, sessionId: "chat-1" }));
    }
    const mint = { respondentId: "jo", sessionId: "chat-1", surveyId: "answer" };
    expect(client.mints).toMatchObject([mint, mint]);
  });
});

describe("what cannot work says what to do", () => {
  it("a response instead of the stream that it is made of", () => {
    const stream = new ReadableStream<UIMessageChunk>();
    const response = createUIMessageStreamResponse({ stream });
    // @ts-expect-error a response is no run
    expect(() => withFeedback(response, optionsWith())).toThrow("not text or a Response");
  });

  it("a stream that is being read, and one that is read twice", async () => {
    const stream = forPage(streaming(...parts("stop")));
    stream.getReader();
    expect(() => withFeedback(stream, optionsWith())).toThrow("has a reader already");
    const { result } = withFeedback(forPage(streaming(...parts("stop"))), optionsWith());
    await readAll(result);
    expect(() => result.getReader()).toThrow("read twice");
    await expect(readAll(result)).rejects.toThrow("tee()");
  });

  it("a run that is given twice", () => {
    const run = streaming(...parts("stop"));
    withFeedback(run, optionsWith());
    expect(() => withFeedback(run, optionsWith())).toThrow("called twice for one run");
  });
});

describe("what is known about the run", () => {
  const model = "mock-model-id";
  const failing = tool({
    inputSchema,
    execute: async (): Promise<string> => {
      throw new Error("no such order");
    },
  });
  const factsOf = (client: ReturnType<typeof aClient>) => client.mints.map(({ run }) => run?.facts);
  const twoSteps = { endedWell: true, finishReason: "stop", steps: 2, toolErrors: 1, model };

  it("of a stream of parts is its finish reason, steps, failed tools, tokens and model", async () => {
    const client = aClient();
    const run = withTools([callsTool, parts("stop")], { refund: failing });
    const { result, feedback } = withFeedback(run.stream, optionsWith({ client }));
    await readAll(result);
    await feedback;
    expect(factsOf(client)).toEqual([{ ...twoSteps, inputTokens: 2, outputTokens: 2 }]);
  });

  it("of a run that was cut off says so, if it is minted for", async () => {
    const client = aClient();
    const { stream } = streaming(...parts("length"));
    const { result, feedback } = withFeedback(stream, optionsWith({ client, mintAfterFailure: true }));
    await readAll(result);
    await feedback;
    expect(factsOf(client)).toEqual([
      expect.objectContaining({ endedWell: false, finishReason: "length", steps: 1 }),
    ]);
  });
});
