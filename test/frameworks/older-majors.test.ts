import { withFeedback as withAiSdk, type AiSdkRun } from "@afterword/node/ai-sdk";
import { withFeedback as withOpenAi } from "@afterword/node/openai-agents";
import { Agent, run } from "@openai/agents-0.0";
import * as ai4 from "ai-4";
import { MockLanguageModelV1 } from "ai-4/test";
import * as ai5 from "ai-5";
import { MockLanguageModelV2 } from "ai-5/test";
import * as ai6 from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { describe, expect, it, vi } from "vitest";
import { aClient, readAll } from "./a-client.ts";
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
