import { withFeedback } from "@afterword/node";
import { Agent, run, setTracingDisabled, tool, Usage, type Model, type protocol } from "@openai/agents";
import { expect, it } from "vitest";
import { z } from "zod";
import { aClient, session } from "./a-client.ts";

setTracingDisabled(true);

type Output = protocol.AssistantMessageItem | protocol.FunctionCallItem;

const answer: Output = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Refunded." }],
};
const callsTool: Output = {
  type: "function_call",
  callId: "1",
  name: "refund",
  arguments: "{}",
  status: "completed",
};

/** Gives one output after the other. */
function aModel(outputs: Output[], onStart: () => void = () => undefined): Model {
  return {
    getResponse: async () => ({ usage: new Usage(), output: [outputs.shift() ?? answer] }),
    async *getStreamedResponse() {
      yield { type: "response_started" };
      onStart();
      yield { type: "output_text_delta", delta: "Ref" };
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      yield { type: "response_done", response: { id: "1", usage, output: [outputs.shift() ?? answer] } };
    },
  };
}

const refund = (needsApproval: boolean) =>
  tool({
    name: "refund",
    description: "Refunds",
    parameters: z.object({}),
    needsApproval,
    execute: async () => "ok",
  });

/** The recipe of the README: a run that was cancelled, or that waits for a person, is not finished. */
async function rated(agent: Agent, options: { signal?: AbortSignal; maxTurns?: number } = {}) {
  const runAgent = withFeedback((question: string) => run(agent, question, { ...options, stream: true }), {
    client: aClient(),
    session,
    end: async (stream) => {
      await stream.completed;
      return !stream.cancelled && stream.interruptions.length === 0;
    },
  });
  const { result, feedback } = await runAgent("Refund my order");
  try {
    for await (const chunk of result) void chunk;
  } catch {
    // The reader sees the failure as without the wrapper; here only the mint counts.
  }
  return feedback;
}

it("a streamed run of OpenAI Agents mints once it is complete, tools included", async () => {
  const agent = new Agent({ name: "Support", model: aModel([callsTool, answer]), tools: [refund(false)] });
  await expect(rated(agent)).resolves.toMatchObject({ sessionId: "session-1" });
});

it("a run that waits for a person's approval mints nothing yet", async () => {
  const agent = new Agent({ name: "Support", model: aModel([callsTool]), tools: [refund(true)] });
  await expect(rated(agent)).resolves.toBeUndefined();
});

it("a run that is aborted mints nothing", async () => {
  const abort = new AbortController();
  const agent = new Agent({ name: "Support", model: aModel([answer], () => abort.abort()) });
  await expect(rated(agent, { signal: abort.signal })).resolves.toBeUndefined();
});

it("a run that reaches its limit of turns mints nothing", async () => {
  const turns = [callsTool, callsTool, callsTool];
  const agent = new Agent({ name: "Support", model: aModel(turns), tools: [refund(false)] });
  await expect(rated(agent, { maxTurns: 2 })).resolves.toBeUndefined();
});
