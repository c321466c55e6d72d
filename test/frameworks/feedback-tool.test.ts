import { feedbackTool, type FeedbackToolOptions, type HandedOverRun } from "@afterword/node/ai-sdk";
import { isStepCount, streamText } from "ai";
import { MockLanguageModelV4, convertArrayToReadableStream } from "ai/test";
import { describe, expect, it, vi } from "vitest";
import { aClient, readAll } from "./a-client.ts";
import { parts, usage, type StreamPart } from "./ai-sdk-models.ts";
import { answer } from "./recipes/feedback-tool.ts";

const run: HandedOverRun = { tokens: { csat: "st2.token" }, sessionId: "session-1" };

const aTool = (more: Partial<FeedbackToolOptions> = {}) => {
  const options = {
    mint: vi.fn<FeedbackToolOptions["mint"]>(more.mint ?? (async () => run)),
    allow: vi.fn<FeedbackToolOptions["allow"]>(more.allow ?? (() => true)),
    onFeedback: vi.fn<(run: HandedOverRun) => void>(),
    onError: vi.fn<(error: Error) => void>(),
    surveys: more.surveys,
  };
  return { options, tool: feedbackTool(options) };
};

/** One step in which the model calls the tool with each input. */
const calls = (...inputs: object[]): StreamPart[] => [
  ...inputs.map((input, index): StreamPart => {
    const toolCallId = `call-${index}`;
    return {
      type: "tool-call",
      toolCallId,
      toolName: "request_feedback",
      input: JSON.stringify(input),
    };
  }),
  { type: "finish", finishReason: { unified: "tool-calls", raw: "tool-calls" }, usage },
];

/** Runs an agent that takes these steps and then answers; gives what the model was told after each call. */
async function told(tool: ReturnType<typeof feedbackTool>, ...steps: StreamPart[][]): Promise<unknown[]> {
  const left = [...steps, parts("stop")];
  const doStream = async () => ({ stream: convertArrayToReadableStream(left.shift()!) });
  const result = streamText({
    model: new MockLanguageModelV4({ doStream }),
    prompt: "Refund my order",
    tools: { request_feedback: tool },
    stopWhen: isStepCount(5),
  });
  const all = await readAll(result.stream);
  return all.flatMap((part) => (part.type === "tool-result" ? [part.output] : []));
}

const granted = [expect.stringMatching(/will be asked/)];
const refused = [expect.stringMatching(/Do not call this tool again/)];

describe("request_feedback", () => {
  it("hands the run to the page, and tells the model nothing but that it need not ask", async () => {
    const { tool, options } = aTool();
    const outputs = await told(tool, calls({}));
    expect(outputs).toEqual(granted);
    expect(String(outputs)).not.toContain("st2.");
    expect(options.onFeedback).toHaveBeenCalledExactlyOnceWith(run);
  });

  it("lets the host decide, who sees the conversation, and mints nothing on a no", async () => {
    const { tool, options } = aTool({ allow: async () => false });
    await expect(told(tool, calls({}))).resolves.toEqual(refused);
    expect(options.allow).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        toolCallId: "call-0",
        messages: [expect.objectContaining({ role: "user" })],
      }),
    );
    expect(options.mint).not.toHaveBeenCalled();
  });

  it.each([
    ["the person must not be asked now", async () => ({ ...run, tokens: {} })],
    ["the host has no run to ask about", async () => undefined],
    ["the service is down", () => Promise.reject(new Error("no connection"))],
  ])("is refused in the same words when %s", async (_, mint) => {
    const { tool, options } = aTool({ mint });
    await expect(told(tool, calls({}))).resolves.toEqual(refused);
    expect(options.onFeedback).not.toHaveBeenCalled();
  });

  it("reports what failed, and never fails the run", async () => {
    const failure = new Error("no database");
    const { tool, options } = aTool({ allow: () => Promise.reject(failure) });
    await expect(told(tool, calls({}))).resolves.toEqual(refused);
    expect(options.onError).toHaveBeenCalledExactlyOnceWith(failure);
  });

  it("works once per run: at the same time, in a later step, and after a refusal", async () => {
    const { tool, options } = aTool();
    const outputs = await told(tool, calls({}, {}), calls({}));
    // A refusal comes back first.
    expect(outputs).toEqual([...refused, ...granted, ...refused]);
    const no = aTool({ allow: () => false });
    await told(no.tool, calls({}), calls({}));
    expect([options.mint.mock.calls.length, no.options.mint.mock.calls.length]).toEqual([1, 0]);
  });

  it("works again in the next run of the same tool", async () => {
    const { tool, options } = aTool();
    await told(tool, calls({}));
    await expect(told(tool, calls({}))).resolves.toEqual(granted);
    expect(options.mint).toHaveBeenCalledTimes(2);
  });

  it.each<[object, string]>([
    [{ survey: "refund" }, "survey-refund"],
    [{ survey: "made-up" }, "survey-task"],
    [{ survey: "__proto__" }, "survey-task"],
    [{ survey: 7, sessionId: "another", respondentId: "another" }, "survey-task"],
    [{}, "survey-task"],
  ])("takes from %j only a slug of the host's list", async (input, surveyId) => {
    const { tool, options } = aTool({ surveys: { task: "survey-task", refund: "survey-refund" } });
    await expect(told(tool, calls(input))).resolves.toEqual(granted);
    const [wish] = options.mint.mock.calls[0]!;
    expect(wish).toMatchObject({ surveyId });
    expect(JSON.stringify(wish)).not.toContain("another");
  });

  it("shows the model the slugs to choose from", async () => {
    const { tool } = aTool({ surveys: { task: "survey-task", refund: "survey-refund" } });
    const model = new MockLanguageModelV4({
      doStream: async () => ({ stream: convertArrayToReadableStream(parts("stop")) }),
    });
    await streamText({ model, prompt: "Refund", tools: { request_feedback: tool } }).consumeStream();
    expect(JSON.stringify(model.doStreamCalls[0]!.tools)).toContain('"enum":["task","refund"]');
  });

  it("writes the run into the message, by the documented recipe", async () => {
    const client = aClient();
    const page = async (isLong: boolean) => {
      const steps = [calls({ survey: "task-done" }), parts("stop")];
      const doStream = async () => ({ stream: convertArrayToReadableStream(steps.shift()!) });
      const chat = { id: "chat-1", userId: "jo", model: new MockLanguageModelV4({ doStream }), isLong };
      return await answer(client, chat, "Refund my order").text();
    };
    expect(await page(false)).not.toContain("st2.token");
    const data = { tokens: { csat: "st2.token" }, sessionId: "chat-1" };
    expect(await page(true)).toContain(JSON.stringify({ type: "data-afterword", data }));
    expect(client.mints).toEqual([{ respondentId: "jo", sessionId: "chat-1", surveyId: "csat" }]);
  });
});
