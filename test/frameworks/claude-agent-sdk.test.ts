import { withFeedback, type ClaudeAgentOptions, type Feedback } from "@afterword/node/claude-agent-sdk";
import { query, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it, vi } from "vitest";
import { aClient, aSilentClient, readAll } from "./a-client.ts";
import { claudeProgram, turn } from "./claude-program.ts";
import { answer } from "./recipes/claude-agent-sdk.ts";

const prompt = "Refund my order";
// The real SDK; its program, which would call the model, is played by the test.
const settings = (...turns: Parameters<typeof claudeProgram>) => ({
  pathToClaudeCodeExecutable: "/played/by/the/test",
  spawnClaudeCodeProcess: claudeProgram(...turns),
  settingSources: [],
});
const aQuery = (...turns: Parameters<typeof claudeProgram>) => query({ prompt, options: settings(...turns) });

const optionsWith = (more: Partial<ClaudeAgentOptions> = {}): ClaudeAgentOptions => ({
  client: aClient(),
  respondentId: "respondent-1",
  ...more,
});

async function feedbackOf(result: Record<string, unknown>, more: Partial<ClaudeAgentOptions> = {}) {
  const run = withFeedback(aQuery(turn(result)), optionsWith(more));
  await readAll(run.result).catch(() => undefined);
  return run.feedback;
}

describe("a query of the Claude Agent SDK", () => {
  it("mints for its session when its turn has ended well", async () => {
    const client = aClient();
    await expect(feedbackOf({}, { client })).resolves.toMatchObject({
      tokens: { csat: "st2.token" },
      sessionId: "session-of-claude",
    });
    expect(client.mints).toMatchObject([{ respondentId: "respondent-1", sessionId: "session-of-claude" }]);
  });

  it("mints with what its messages and its result say about the run", async () => {
    const client = aClient();
    const spent = {
      num_turns: 3,
      total_cost_usd: 0.31,
      usage: { input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 30 },
    };
    const [init, call, text, result] = turn(spent) as [object, object, { message: object }, object];
    const content = [{ type: "tool_result", tool_use_id: "1", is_error: true, content: "no such order" }];
    const failure = { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
    const said = { ...text, message: { ...text.message, model: "model-1" } };
    const messages = [init, call, { ...text, ...failure }, said, result] as ReturnType<typeof turn>;
    const { result: run, feedback } = withFeedback(aQuery(messages), optionsWith({ client }));
    await readAll(run);
    await feedback;
    const known = { steps: 3, toolErrors: 1, costInUsd: 0.31, inputTokens: 120, outputTokens: 30 };
    expect(client.mints.map((mint) => mint.run?.facts)).toEqual([
      { endedWell: true, finishReason: "end_turn", model: "model-1", ...known },
    ]);
  });

  it("says of each turn of one query what that turn has cost", async () => {
    const client = aClient();
    const turns = [turn({ total_cost_usd: 0.25 }), turn({ total_cost_usd: 0.75 })];
    const ask = { type: "user", message: { role: "user", content: prompt }, parent_tool_use_id: null };
    const done = Promise.withResolvers<void>();
    async function* input() {
      yield* [ask, ask] as SDKUserMessage[];
      await done.promise;
    }
    const run = withFeedback(
      query({ prompt: input(), options: settings(...turns) }),
      optionsWith({ client }),
    );
    let results = 0;
    for await (const message of run.result) {
      if (message.type === "result") results += 1;
      if (results === turns.length) done.resolve();
    }
    expect(client.mints.map((mint) => mint.run?.facts?.["costInUsd"])).toEqual([0.25, 0.5]);
  });

  it.each([
    ["its limit of turns", { subtype: "error_max_turns", is_error: true, errors: [] }],
    ["its limit of costs", { subtype: "error_max_budget_usd", is_error: true, errors: [] }],
    ["an error while it ran", { subtype: "error_during_execution", is_error: true, errors: [] }],
    ["an error of the API", { is_error: true, result: "overloaded" }],
    ["an interrupt", { terminal_reason: "aborted_streaming" }],
    ["a tool that is left to a person", { stop_reason: "tool_deferred", terminal_reason: "tool_deferred" }],
    ["an answer that was cut off", { stop_reason: "max_tokens" }],
    ["a refusal of the model", { stop_reason: "refusal" }],
  ])("mints nothing when its turn ends with %s, unless it is told to", async (_, result) => {
    await expect(feedbackOf(result)).resolves.toBeUndefined();
    await expect(feedbackOf(result, { mintAfterFailure: true })).resolves.toBeDefined();
  });

  it("mints nothing when it ends without a result, or when its reader leaves", async () => {
    const cutOff = withFeedback(aQuery(turn().slice(0, 2)), optionsWith());
    await readAll(cutOff.result).catch(() => undefined);
    const left = withFeedback(aQuery(turn()), optionsWith());
    for await (const message of left.result) if (message.type === "assistant") break;
    await expect(Promise.all([cutOff.feedback, left.feedback])).resolves.toEqual([undefined, undefined]);
  });

  it("stays the same object, and every message passes a mint that never answers", async () => {
    const bare = await readAll(aQuery(turn()));
    const onError = vi.fn<(error: Error) => void>();
    const options = optionsWith({ client: aSilentClient(), timeoutInMs: 500, onError });
    const run = aQuery(turn());
    const { result, feedback } = withFeedback(run, options);
    expect(result).toBe(run);
    await expect(readAll(result)).resolves.toEqual(bare);
    expect(onError).not.toHaveBeenCalled();
    await expect(feedback).resolves.toBeUndefined();
    expect(onError).toHaveBeenCalledOnce();
  });

  it("with streamed input mints for each turn that ended well", async () => {
    const given: Feedback[] = [];
    const asks = ["1", "2", "3"].map((content) => ({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
    }));
    const next = Promise.withResolvers<void>();
    async function* input() {
      yield* asks as SDKUserMessage[];
      await next.promise;
    }
    const options = settings(
      turn(),
      turn({ subtype: "error_max_turns", is_error: true, errors: [] }),
      turn(),
    );
    const onFeedback = (feedback: Feedback) => {
      given.push(feedback);
    };
    const run = withFeedback(query({ prompt: input(), options }), optionsWith({ onFeedback }));
    let results = 0;
    for await (const message of run.result) {
      if (message.type === "result") results += 1;
      if (results === 3) next.resolve();
    }
    await expect(run.feedback).resolves.toBe(given[0]);
    await vi.waitFor(() => expect(given).toHaveLength(2));
  });

  it("is rated by the documented recipe, twice in one session", async () => {
    const client = aClient();
    for (const text of [prompt, "Thank you"]) {
      const chat = { userId: "jo", options: settings(turn()), send: () => undefined };
      await expect(answer(client, chat, text)).resolves.toMatchObject({ sessionId: "session-of-claude" });
    }
    expect(client.mints).toMatchObject([{ respondentId: "jo" }, { respondentId: "jo" }]);
  });
});
