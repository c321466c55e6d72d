import { withFeedback, type LangGraphOptions } from "@afterword/node/langgraph";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  END,
  interrupt,
  MessagesAnnotation,
  MemorySaver,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import { describe, expect, it, vi } from "vitest";
import { aClient, aSilentClient, readAll } from "./a-client.ts";
import { answer } from "./recipes/langgraph.ts";

const State = Annotation.Root({ answer: Annotation<string>, steps: Annotation<number> });
type Node = (state: typeof State.State, config: LangGraphRunnableConfig) => { answer: string };

/** An agent and its tool, which take turns twice. */
const aGraph = (
  agent: Node,
  { checkpointer = new MemorySaver() }: { checkpointer?: MemorySaver | false } = {},
) =>
  new StateGraph(State)
    .addNode("agent", agent)
    .addNode("tool", ({ steps = 0 }) => ({ steps: steps + 1 }))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ steps = 0 }) => (steps < 2 ? "tool" : END))
    .addEdge("tool", "agent")
    .compile({ checkpointer });

type Graph = ReturnType<typeof aGraph>;

const config = { configurable: { thread_id: "thread-1", user_id: "respondent-1" } };
const optionsWith = (graph: Graph, more: Partial<LangGraphOptions> = {}): LangGraphOptions => ({
  client: aClient(),
  graph,
  config,
  ...more,
});

const done = () => aGraph(() => ({ answer: "Refunded." }));
const waits = () => aGraph(() => ({ answer: interrupt<string, string>("Refund 20 euros?") }));
const fails = () =>
  aGraph(() => {
    throw new Error("the model hung up");
  });

/** The ways to run a graph. What the reader of the run sees is not the point here. */
const ways: [
  string,
  (graph: Graph, more?: object, options?: Partial<LangGraphOptions>) => Promise<unknown>,
][] = [
  [
    "streamed",
    async (graph, more, options) => {
      const run = graph.stream({}, { ...config, ...more });
      const { result, feedback } = withFeedback(run, optionsWith(graph, options));
      await result.then((stream) => readAll(stream)).catch(() => undefined);
      return feedback;
    },
  ],
  [
    "streamed without what shows an interrupt",
    async (graph, more, options) => {
      const run = graph.stream({}, { ...config, ...more, streamMode: "custom" });
      const { result, feedback } = withFeedback(run, optionsWith(graph, options));
      await result.then((stream) => readAll(stream)).catch(() => undefined);
      return feedback;
    },
  ],
  [
    "invoked",
    async (graph, more, options) => {
      const run = graph.invoke({}, { ...config, ...more });
      const { result, feedback } = withFeedback(run, optionsWith(graph, options));
      await result.catch(() => undefined);
      return feedback;
    },
  ],
  [
    "streamed as events",
    async (graph, more, options) => {
      const run = graph.streamEvents({}, { ...config, ...more, version: "v3" });
      const { result, feedback } = withFeedback(run, optionsWith(graph, options));
      await result.then((stream) => readAll(stream)).catch(() => undefined);
      return feedback;
    },
  ],
];

it("a graph whose state has messages is minted for with what they say since the person's last one", async () => {
  const messages = (id: string) => [
    new HumanMessage(`Refund order ${id}`),
    new AIMessage({ content: "", tool_calls: [{ id, name: "refund", args: {} }], usage_metadata: tokens }),
    new ToolMessage({ content: "no such order", tool_call_id: id, status: "error" }),
    new AIMessage({
      content: "There is none.",
      usage_metadata: tokens,
      response_metadata: { model_name: "m-1" },
    }),
  ];
  const tokens = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", () => ({ messages: messages("7") }))
    .addEdge(START, "agent")
    .compile({ checkpointer: new MemorySaver() });
  const client = aClient();
  const { feedback } = withFeedback(graph.invoke({ messages: messages("6") }, config), {
    client,
    graph,
    config,
  });
  await feedback;
  const facts = { endedWell: true, steps: 2, toolErrors: 1, inputTokens: 20, outputTokens: 4, model: "m-1" };
  expect(client.mints.map(({ run }) => run)).toEqual([{ facts }]);
});

describe.each(ways)("a graph of LangGraph that is %s", (_, feedbackOf) => {
  it("mints for its thread and its user once it has reached its end", async () => {
    const client = aClient();
    await expect(feedbackOf(done(), {}, { client })).resolves.toMatchObject({
      tokens: { csat: "st2.token" },
      sessionId: "thread-1",
    });
    expect(client.mints).toMatchObject([{ respondentId: "respondent-1", sessionId: "thread-1" }]);
  });

  it("mints nothing while it waits at an interrupt or a breakpoint", async () => {
    await expect(feedbackOf(waits())).resolves.toBeUndefined();
    await expect(feedbackOf(done(), { interruptBefore: ["tool"] })).resolves.toBeUndefined();
  });

  it("mints nothing when a node throws, or at the limit of recursion", async () => {
    await expect(feedbackOf(fails())).resolves.toBeUndefined();
    await expect(feedbackOf(done(), { recursionLimit: 2 })).resolves.toBeUndefined();
  });

  it("mints nothing when it is aborted", async () => {
    const abort = new AbortController();
    const graph = aGraph(() => {
      abort.abort();
      return { answer: "" };
    });
    await expect(feedbackOf(graph, { signal: abort.signal })).resolves.toBeUndefined();
  });

  it("mints after a failure if it is told to, for the given person and session", async () => {
    const given = { mintAfterFailure: true, respondentId: "jo", sessionId: "session-1" };
    await expect(feedbackOf(fails(), {}, given)).resolves.toMatchObject({ sessionId: "session-1" });
  });
});

describe("a streamed graph of LangGraph", () => {
  it("keeps its chunks, its class and its failure, and no chunk waits for a mint that never answers", async () => {
    const bare = await readAll(await done().stream({}, config));
    const onError = vi.fn<(error: Error) => void>();
    const options = { client: aSilentClient(), timeoutInMs: 5, onError };
    const graph = done();
    const stream = await graph.stream({}, config);
    const { result, feedback } = withFeedback(stream, optionsWith(graph, options));
    expect(result.constructor).toBe(stream.constructor);
    await expect(readAll(result)).resolves.toEqual(bare);
    expect(onError).not.toHaveBeenCalled();
    await expect(feedback).resolves.toBeUndefined();
    expect(onError).toHaveBeenCalledOnce();

    const failing = fails();
    const broken = withFeedback(failing.stream({}, config), optionsWith(failing));
    await expect(broken.result.then((stream) => readAll(stream))).rejects.toThrow("the model hung up");
  });

  it("stops when its reader leaves, and mints nothing", async () => {
    const agent = vi.fn<Node>(() => ({ answer: "" }));
    const graph = aGraph(agent);
    const { result, feedback } = withFeedback(await graph.stream({}, config), optionsWith(graph));
    for await (const chunk of result) if (chunk) break;
    await expect(feedback).resolves.toBeUndefined();
    expect(agent).toHaveBeenCalledOnce();
  });

  it("without a checkpointer needs the ids, and is over when its stream is", async () => {
    const graph = aGraph(() => ({ answer: "Refunded." }), { checkpointer: false });
    const ids = { respondentId: "jo", sessionId: "session-1", config: {} };
    const { feedback } = withFeedback(graph.invoke({}), optionsWith(graph, ids));
    await expect(feedback).resolves.toMatchObject({ sessionId: "session-1" });
  });

  it("mints after a person has answered the last of its interrupts", async () => {
    const graph = waits();
    await graph.invoke({}, config);
    const resumed = () => {
      const run = graph.invoke(new Command({ resume: "yes" }), config);
      return withFeedback(run, optionsWith(graph)).feedback;
    };
    await expect(resumed()).resolves.toBeUndefined();
    await expect(resumed()).resolves.toBeUndefined();
    await expect(resumed()).resolves.toBeDefined();
  });

  it("mints for each of two turns of a thread, by the documented recipe", async () => {
    const client = aClient();
    const chat = { id: "thread-1", userId: "jo", graph: done(), send: () => undefined };
    for (let turn = 0; turn < 2; turn += 1)
      await expect(answer(client, chat as never, {})).resolves.toMatchObject({ sessionId: "thread-1" });
    const mint = { respondentId: "jo", sessionId: "thread-1" };
    expect(client.mints).toMatchObject([mint, mint]);
  });
});

it("a run without its graph says what to pass", () => {
  const options = { client: aClient(), config } as unknown as LangGraphOptions;
  expect(() => withFeedback({ messages: [] }, options)).toThrow("needs `graph`");
});
