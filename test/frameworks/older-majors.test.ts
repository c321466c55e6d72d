import { withFeedback as withAiSdk, type AiSdkRun } from "@afterword/node/ai-sdk";
import { withFeedback as withClaude } from "@afterword/node/claude-agent-sdk";
import { withFeedback as withLangGraph } from "@afterword/node/langgraph";
import { withFeedback as withOpenAi } from "@afterword/node/openai-agents";
import { query } from "@anthropic-ai/claude-agent-sdk-0.2";
import { Annotation, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph-0";
import { Agent, run } from "@openai/agents-0.0";
import * as ai4 from "ai-4";
import { MockLanguageModelV1 } from "ai-4/test";
import * as ai5 from "ai-5";
import { MockLanguageModelV2 } from "ai-5/test";
import * as ai6 from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import type { FeedbackAdapter } from "@assistant-ui/react-0.11";
import type { createFeedbackAdapter } from "@afterword/react/assistant-ui";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { aClient, readAll } from "./a-client.ts";
import { claudeProgram, turn } from "./claude-program.ts";
import { aModel, answer } from "./openai-models.ts";

// The newest versions before the ranges of the package's peers, as people have them who ignore a warning.

const prompt = "Refund my order";
const options = () => ({ client: aClient(), respondentId: "respondent-1", sessionId: "session-1" });

const runOfAi4 = () =>
  ai4.streamText({
    model: new MockLanguageModelV1({
      doStream: async () => ({
        stream: ai4.simulateReadableStream({
          chunks: [
            { type: "text-delta", textDelta: "Refun" },
            {
              type: "finish",
              finishReason: "length",
              usage: { promptTokens: 1, completionTokens: 1 },
            },
          ],
        }),
        rawCall: { rawPrompt: null, rawSettings: {} },
      }),
    }),
    prompt,
  });

const empty = async () => ({ stream: new ReadableStream<never>() });
const runsOfAi: [string, () => object][] = [
  ["ai 4", runOfAi4],
  ["ai 5", () => ai5.streamText({ model: new MockLanguageModelV2({ doStream: empty }), prompt })],
  ["ai 6", () => ai6.streamText({ model: new MockLanguageModelV3({ doStream: empty }), prompt })],
];

describe("an older version whose runs cannot be watched is an error that names the version to install", () => {
  it.each(runsOfAi)("the result of streamText of %s", (_, runOf) => {
    expect(() => withAiSdk(runOf() as AiSdkRun, options())).toThrow("npm i ai@7");
  });

  it("the data stream of ai 4, which is text: it passes, mints nothing, and the host is told", async () => {
    const onError = vi.fn<(error: Error) => void>();
    // As in JavaScript, where nothing stops it.
    const text = runOfAi4().toDataStream() as ReadableStream<never>;
    const { result, feedback } = withAiSdk(text, { ...options(), onError });
    const bare = await readAll(runOfAi4().toDataStream());
    expect(await readAll(result)).toHaveLength(bare.length);
    await expect(feedback).resolves.toBeUndefined();
    expect(onError.mock.calls[0]![0].message).toContain("npm i ai@7");
    expect(onError).toHaveBeenCalledOnce();
  });

  it("a run of OpenAI Agents 0.0, streamed and not", async () => {
    const agent = () => new Agent({ name: "Support", model: aModel([answer]) as never });
    const runs = [run(agent(), prompt), run(agent(), prompt, { stream: true })];
    for (const one of runs)
      await expect(withOpenAi(one as Promise<never>, options()).result).rejects.toThrow(
        "npm i @openai/agents",
      );
  });
});

/** Loads the built package of React with the real React 17 in place of the one beside it. */
const loadWithReact17 = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve: (name, context, next) =>
      name === "react" ? next("react-17", { ...context, parentURL: "${import.meta.url}" }) : next(name, context),
  });
  await import("${new URL("../../packages/react/dist/index.js", import.meta.url)}");
`;

describe("an older version of what pages use", () => {
  it("React 17: the package does not load, and the missing hook of React 18 is named", async () => {
    const program = ["--input-type=module", "--eval", loadWithReact17];
    await expect(promisify(execFile)(process.execPath, program)).rejects.toThrow(
      /does not provide an export named 'useSyncExternalStore'|Named export 'useSyncExternalStore' not found/,
    );
  });

  it("assistant-ui 0.11 takes the feedback adapter as the present one does", () => {
    expectTypeOf<ReturnType<typeof createFeedbackAdapter>>().toExtend<FeedbackAdapter>();
  });
});

describe("an older version whose runs end in the same way is watched like the present one", () => {
  const Conversation = Annotation.Root({ answer: Annotation<string> });
  const config = { configurable: { thread_id: "thread-1", user_id: "respondent-1" } };
  type Step = () => { answer: string };
  const feedbackOfGraph = async (step: Step) => {
    const graph = new StateGraph(Conversation)
      .addNode("agent", step)
      .addEdge(START, "agent")
      .addEdge("agent", END)
      .compile({ checkpointer: new MemorySaver() });
    const watched = withLangGraph(graph.stream({}, config), { client: aClient(), graph, config });
    await watched.result.then((stream) => readAll(stream)).catch(() => undefined);
    return watched.feedback;
  };

  it("LangGraph 0.4: at its end, and not at an interrupt or after an error", async () => {
    const fails = () => {
      throw new Error("the model hung up");
    };
    const waits = () => ({ answer: interrupt<string, string>("Refund 20 euros?") });
    const minted = await feedbackOfGraph(() => ({ answer: "Refunded." }));
    expect(minted).toMatchObject({ sessionId: "thread-1" });
    expect([await feedbackOfGraph(waits), await feedbackOfGraph(fails)]).toEqual([undefined, undefined]);
  });

  const feedbackOfClaude = async (result: Record<string, unknown>) => {
    const asked = query({
      prompt,
      options: {
        pathToClaudeCodeExecutable: "/played/by/the/test",
        spawnClaudeCodeProcess: claudeProgram(turn(result)),
        settingSources: [],
      },
    });
    const watched = withClaude(asked, { client: aClient(), respondentId: "respondent-1" });
    await readAll(watched.result);
    return watched.feedback;
  };

  it("the Claude Agent SDK 0.2: after a success, and not at its limit of turns", async () => {
    await expect(feedbackOfClaude({})).resolves.toMatchObject({ sessionId: "session-of-claude" });
    const limit = { subtype: "error_max_turns", is_error: true, errors: [] };
    await expect(feedbackOfClaude(limit)).resolves.toBeUndefined();
  });
});
