import { withFeedback, type OpenAiAgentsOptions } from "@afterword/node/openai-agents";
import { Agent, run, setTraceProcessors, setTracingDisabled, tool } from "@openai/agents";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { aClient, aSilentClient, readAll } from "./a-client.ts";
import { aModel, answer, callOf, type Output } from "./openai-models.ts";
import { answer as recipe } from "./recipes/openai-agents.ts";

// The group id of a run is part of its trace, which goes nowhere here.
beforeAll(() => {
  setTraceProcessors([]);
  setTracingDisabled(false);
});
afterAll(() => setTracingDisabled(true));

const refund = (needsApproval: boolean) =>
  tool({
    name: "refund",
    description: "Refunds",
    parameters: z.object({}),
    needsApproval,
    execute: async () => "ok",
  });

const anAgent = (outputs: Output[], needsApproval = false, onStart?: () => void) =>
  new Agent({ name: "Support", model: aModel(outputs, { onStart }), tools: [refund(needsApproval)] });

const optionsWith = (more: Partial<OpenAiAgentsOptions> = {}): OpenAiAgentsOptions => ({
  client: aClient(),
  respondentId: "respondent-1",
  sessionId: "session-1",
  ...more,
});

const question = "Refund my order";

interface RunSettings {
  signal?: AbortSignal;
  maxTurns?: number;
  errorHandlers?: { maxTurns: () => { finalOutput: string } };
}

/** Both ways to run an agent. What the reader of the run sees is not the point here. */
const ways: [
  string,
  (agent: Agent, more?: RunSettings, options?: OpenAiAgentsOptions) => Promise<unknown>,
][] = [
  [
    "streamed",
    async (agent, more, options = optionsWith()) => {
      const { result, feedback } = withFeedback(run(agent, question, { ...more, stream: true }), options);
      await result.then(readAll).catch(() => undefined);
      return feedback;
    },
  ],
  [
    "not streamed",
    async (agent, more, options = optionsWith()) => {
      const { result, feedback } = withFeedback(run(agent, question, more), options);
      await result.catch(() => undefined);
      return feedback;
    },
  ],
];

it.each(ways)("a run that is %s is minted for with its steps and tokens", async (_, feedbackOf) => {
  const client = aClient();
  const model = aModel([callOf("refund"), answer]);
  const agent = new Agent({ name: "Support", model, tools: [refund(false)] });
  await feedbackOf(agent, {}, optionsWith({ client }));
  const facts = client.mints[0]?.run?.facts;
  expect(facts).toMatchObject({ endedWell: true, steps: 2 });
  expect(Object.keys(facts!)).toEqual(expect.arrayContaining(["inputTokens", "outputTokens"]));
});

describe.each(ways)("a run of OpenAI Agents that is %s", (_, feedbackOf) => {
  const handedOver = { sessionId: "session-1", tokens: { csat: "st2.token" } };

  it("mints once it has its final output, after tools and hand-offs", async () => {
    const client = aClient();
    const support = anAgent([callOf("refund"), answer]);
    const desk = new Agent({
      name: "Desk",
      model: aModel([callOf("transfer_to_Support")]),
      handoffs: [support],
    });
    await expect(feedbackOf(desk, {}, optionsWith({ client }))).resolves.toMatchObject(handedOver);
    expect(client.mints).toHaveLength(1);
  });

  it("mints nothing while it waits for a person's approval", async () => {
    await expect(feedbackOf(anAgent([callOf("refund")], true))).resolves.toBeUndefined();
  });

  it("mints nothing when it reaches its limit of turns, also if the host answers in its place", async () => {
    const turns = () => [callOf("refund"), callOf("refund"), callOf("refund")];
    await expect(feedbackOf(anAgent(turns()), { maxTurns: 2 })).resolves.toBeUndefined();
    const errorHandlers = { maxTurns: () => ({ finalOutput: "I gave up." }) };
    const handled = { maxTurns: 2, errorHandlers };
    await expect(feedbackOf(anAgent(turns()), handled)).resolves.toBeUndefined();
  });

  it("mints nothing when its model fails, unless it is told to", async () => {
    const hangUp = () => {
      throw new Error("the model hung up");
    };
    const model = { getResponse: async () => hangUp(), getStreamedResponse: hangUp };
    const failing = new Agent({ name: "Support", model });
    await expect(feedbackOf(failing)).resolves.toBeUndefined();
    const options = optionsWith({ mintAfterFailure: true });
    await expect(feedbackOf(failing, {}, options)).resolves.toMatchObject(handedOver);
  });
});

describe("a streamed run of OpenAI Agents", () => {
  it("stays the same object, and every event passes a mint that never answers", async () => {
    const onError = vi.fn<(error: Error) => void>();
    const options = optionsWith({ client: aSilentClient(), timeoutInMs: 5, onError });
    const bare = await readAll(await run(anAgent([answer]), question, { stream: true }));
    const stream = await run(anAgent([answer]), question, { stream: true });
    const { result, feedback } = withFeedback(stream, options);
    expect(result).toBe(stream);
    expect((await readAll(result)).map(({ type }) => type)).toEqual(bare.map(({ type }) => type));
    expect(onError).not.toHaveBeenCalled();
    await expect(feedback).resolves.toBeUndefined();
    expect(onError).toHaveBeenCalledOnce();
  });

  it("mints nothing when it is aborted", async () => {
    const abort = new AbortController();
    const agent = anAgent([answer], false, () => abort.abort());
    const given = run(agent, question, { stream: true, signal: abort.signal });
    const { result, feedback } = withFeedback(given, optionsWith());
    await readAll(await result).catch(() => undefined);
    await expect(feedback).resolves.toBeUndefined();
  });

  it("is rated in its group, turn by turn, by the documented recipe", async () => {
    const client = aClient();
    const chat = { id: "chat-1", userId: "jo", agent: anAgent([]), send: () => undefined };
    for (const text of [question, "Thank you"])
      await expect(recipe(client, chat, text)).resolves.toMatchObject({ sessionId: "chat-1" });
    const mint = { respondentId: "jo", sessionId: "chat-1" };
    expect(client.mints).toMatchObject([mint, mint]);
  });

  it("without a group or a given session mints nothing and says what to pass", async () => {
    const onError = vi.fn<(error: Error) => void>();
    const options = optionsWith({ sessionId: undefined, onError });
    await withFeedback(run(anAgent([]), question), options).feedback;
    expect(onError.mock.calls[0]![0].message).toContain("Pass `sessionId`");
  });
});

describe("a streamed run of OpenAI Agents that is read twice says what to do", () => {
  /** The framework's own type of its stream names fewer methods. */
  const streamOf = (streamed: Streamed) => streamed.toStream() as unknown as ReadableStream<unknown>;
  type Streamed = Awaited<ReturnType<typeof aStreamedRun>>;
  const aStreamedRun = () => run(anAgent([answer]), question, { stream: true });
  const readings: [string, (streamed: Streamed) => Promise<unknown>][] = [
    ["its events", readAll],
    ["its text", async (streamed) => readAll(streamed.toTextStream())],
    ["its stream", async (streamed) => readAll(streamed.toStream())],
  ];
  const pairs = readings.flatMap(([one, first]) =>
    readings.map(([other, second]) => [one, other, first, second] as const),
  );

  it.each(pairs)("%s, then %s", async (_one, _other, first, second) => {
    const { result, feedback } = withFeedback(await aStreamedRun(), optionsWith());
    await first(result);
    await expect(second(result)).rejects.toThrow("read twice. Read `result` once, or split its stream");
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("also while the first reader reads; one that is split by tee() has two", async () => {
    const { result } = withFeedback(await aStreamedRun(), optionsWith());
    const [events, text] = [readAll(result), () => result.toTextStream()];
    expect(text).toThrow("read twice");
    const other = withFeedback(await aStreamedRun(), optionsWith());
    const split = streamOf(other.result).tee();
    const [left, right] = await Promise.all(split.map((stream) => readAll(stream)));
    expect(left).toHaveLength((await events).length);
    expect(right).toEqual(left);
  });

  it("a reader that leaves the rest to another one is not the first of two", async () => {
    const { result } = withFeedback(await aStreamedRun(), optionsWith());
    const reader = streamOf(result).getReader();
    await reader.read();
    reader.releaseLock();
    expect((await readAll(result)).length).toBeGreaterThan(0);
  });
});
