import * as aiSdk from "@afterword/node/ai-sdk";
import * as claude from "@afterword/node/claude-agent-sdk";
import * as langgraph from "@afterword/node/langgraph";
import * as openai from "@afterword/node/openai-agents";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { Agent, run, setTracingDisabled } from "@openai/agents";
import { toUIMessageStream } from "ai";
import { aClient } from "./a-client.ts";
import { parts, streaming, type StreamPart } from "./ai-sdk-models.ts";
import { claudeProgram, turn } from "./claude-program.ts";
import { aModel, answer } from "./openai-models.ts";

type Chunks = AsyncIterable<unknown>;

/** A run of a framework that streams about as many chunks as it is told to, as it is and with feedback. */
export interface MeasuredRun {
  name: string;
  bare(chunks: number): Promise<Chunks>;
  watched(chunks: number): Promise<{ result: Chunks; feedback: Promise<unknown> }>;
}

setTracingDisabled(true);
const client = aClient();
const ids = { client, respondentId: "respondent-1", sessionId: "session-1" };
const deltas = (chunks: number): StreamPart[] =>
  Array.from({ length: chunks }, () => ({ type: "text-delta", id: "1", delta: "word " }));

const page = async (chunks: number) =>
  toUIMessageStream({ stream: streaming(...parts("stop", ...deltas(chunks))).stream });

const agentRun = (chunks: number) =>
  run(new Agent({ name: "Support", model: aModel([answer], { deltas: chunks }) }), "Refund", {
    stream: true,
  });

const State = Annotation.Root({ answer: Annotation<string> });
const checkpointer = new MemorySaver();
const graph = new StateGraph(State)
  .addNode("agent", (_state, config) => {
    for (let left = Number(config.configurable?.["chunks"]); left > 0; left -= 1) config.writer?.("word ");
    return { answer: "Refunded." };
  })
  .addEdge(START, "agent")
  .addEdge("agent", END)
  .compile({ checkpointer });
const graphRun = (chunks: number) => {
  const config = { configurable: { thread_id: crypto.randomUUID(), chunks } };
  return { config, stream: graph.stream({}, { ...config, streamMode: "custom" }) };
};

const claudeRun = (chunks: number) => {
  const [init, , text, result] = turn();
  const messages = [init!, ...Array.from({ length: chunks }, () => text!), result!];
  const options = {
    pathToClaudeCodeExecutable: "/played/by/the/benchmark",
    spawnClaudeCodeProcess: claudeProgram(messages),
    settingSources: [],
  };
  return query({ prompt: "Refund my order", options });
};

export const measuredRuns: MeasuredRun[] = [
  {
    name: "ai-sdk, a stream for a page",
    bare: page,
    watched: async (chunks) => aiSdk.withFeedback(await page(chunks), ids),
  },
  {
    name: "openai-agents",
    bare: agentRun,
    watched: async (chunks) => openai.withFeedback(await agentRun(chunks), ids),
  },
  {
    name: "langgraph",
    bare: async (chunks) => await graphRun(chunks).stream,
    async watched(chunks) {
      const { config, stream } = graphRun(chunks);
      return langgraph.withFeedback(await stream, { ...ids, graph, config });
    },
  },
  {
    name: "claude-agent-sdk",
    bare: async (chunks) => claudeRun(chunks),
    watched: async (chunks) => claude.withFeedback(claudeRun(chunks), ids),
  },
];
