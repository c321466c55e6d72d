import { withFeedback } from "@afterword/node";
import { Annotation, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { aClient } from "./a-client.ts";

const State = Annotation.Root({ answer: Annotation<string> });

const aGraph = (node: () => { answer: string }) =>
  new StateGraph(State)
    .addNode("agent", node)
    .addEdge(START, "agent")
    .addEdge("agent", END)
    .compile({ checkpointer: new MemorySaver() });

/** The recipe of the README: a graph that waits at an interrupt has a next node, and is not finished. */
function rated(graph: ReturnType<typeof aGraph>) {
  return withFeedback((threadId: string) => graph.stream({}, { configurable: { thread_id: threadId } }), {
    client: aClient(),
    session: async (_stream, threadId) => {
      const { next } = await graph.getState({ configurable: { thread_id: threadId } });
      return next.length === 0 ? { respondentId: "respondent-1", sessionId: threadId } : undefined;
    },
  });
}

async function feedbackOf(graph: ReturnType<typeof aGraph>) {
  const { result, feedback } = await rated(graph)("thread-1");
  for await (const chunk of result) void chunk;
  return feedback;
}

it("a streamed graph of LangGraph mints for its thread once it has reached its end", async () => {
  const feedback = await feedbackOf(aGraph(() => ({ answer: "Refunded." })));
  expect(feedback).toMatchObject({ sessionId: "thread-1" });
});

it("a graph that waits at an interrupt for a person mints nothing yet", async () => {
  const waits = aGraph(() => ({ answer: interrupt<string, string>("Refund 20 euros?") }));
  await expect(feedbackOf(waits)).resolves.toBeUndefined();
});

it("a graph whose node throws mints nothing, and the reader sees the failure", async () => {
  const failing = aGraph(() => {
    throw new Error("the model hung up");
  });
  await expect(feedbackOf(failing)).rejects.toThrow("the model hung up");
});
