import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  withFeedback,
  withFeedback as withOpenAiAgents,
  type OpenAiAgentsOptions,
} from "../frameworks/openai-agents.ts";
import type { Minted } from "../client/client.ts";
import { ConnectionError } from "../errors/afterword-error.ts";
import type { MintBody } from "@afterword/protocol";
import { withFeedback as withAiSdk } from "../frameworks/ai-sdk.ts";
import { withFeedback as withClaude } from "../frameworks/claude-agent-sdk.ts";
import { withFeedback as withAny } from "../index.ts";
import { withFeedback as withLangGraph } from "../frameworks/langgraph.ts";

// The core of the entry points for frameworks; test/frameworks runs each of them with the real package.

const minted: Minted = {
  tokens: { csat: "st2.token" },
  suppression: [],
  issuedAt: "2026-11-22T09:00:00.000Z",
  gated: false,
  sampled: { csat: true },
};
const aClient = (answer = async () => minted) => ({ mint: vi.fn<(body: object) => Promise<Minted>>(answer) });
const aRun = () => ({ interruptions: [], runContext: {}, state: {} });

const optionsWith = (more: Partial<OpenAiAgentsOptions> = {}): OpenAiAgentsOptions => ({
  client: aClient(),
  respondentId: "jo",
  sessionId: "session-1",
  ...more,
});

/** A span that is active throughout. */
function activate(span: { traceId: string; spanId: string }): void {
  const active: Context = trace.setSpanContext(ROOT_CONTEXT, { ...span, traceFlags: 1 });
  const manager = {
    active: () => active,
    with: (_: Context, work: () => unknown) => work(),
    bind: (_: Context, target: unknown) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager as unknown as ContextManager);
}

describe("a run of a framework", () => {
  const span = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
  afterEach(() => {
    context.disable();
    vi.restoreAllMocks();
  });

  it("is rated in the span that is active when it is given", async () => {
    activate(span);
    const client = aClient();
    const { feedback } = withFeedback(aRun(), optionsWith({ client }));
    context.disable();
    await feedback;
    expect(client.mint.mock.calls[0]![0]).toMatchObject({ observationId: `${span.traceId}-${span.spanId}` });
  });

  it("is described by what the host gives before what the framework knows", async () => {
    activate(span);
    const client = aClient();
    const run = { ...aRun(), state: { _conversationId: "conversation-1" } };
    const given = { sessionId: "session-1", observationId: "turn-7", taskType: "refund", surveyId: "csat" };
    await withFeedback(run, optionsWith({ client, ...given })).feedback;
    expect(client.mint.mock.calls[0]![0]).toMatchObject({ respondentId: "jo", ...given });
    await withFeedback({ ...run }, optionsWith({ client, sessionId: undefined })).feedback;
    expect(client.mint.mock.calls[1]![0]).toMatchObject({ sessionId: "conversation-1" });
  });

  it("that is a promise stays one, and rejects as it would", async () => {
    const failure = new Error("the model hung up");
    const { result, feedback } = withFeedback(Promise.reject(failure), optionsWith());
    await expect(result).rejects.toBe(failure);
    await expect(feedback).resolves.toBeUndefined();
  });

  it("that a reader leaves while a chunk is on its way mints nothing, also where its graph cannot be asked", async () => {
    const graph = { getState: () => Promise.reject(new Error("no database")) };
    const stream = new ReadableStream<string>({ start: (controller) => controller.enqueue("one") });
    const { result, feedback } = withLangGraph(stream, { ...optionsWith(), graph, config: {} });
    const reader = result.getReader();
    await reader.read();
    const reading = reader.read();
    await reader.cancel();
    await reading;
    expect(await feedback).toBeUndefined();
  });

  it("gives its tokens to onFeedback too", async () => {
    const onFeedback = vi.fn<(feedback: Minted) => void>();
    const { feedback } = withFeedback(aRun(), optionsWith({ onFeedback }));
    expect(onFeedback.mock.calls).toEqual([[await feedback]]);
  });
});

describe("what is known about a run", () => {
  const runOf = async (more: Partial<OpenAiAgentsOptions>, run: object = {}) => {
    const client = aClient();
    await withFeedback({ ...aRun(), ...run }, optionsWith({ client, ...more })).feedback;
    return (client.mint.mock.calls[0]![0] as MintBody).run;
  };
  const spent = { runContext: { usage: { inputTokens: 120, outputTokens: 30 } }, rawResponses: [{}, {}] };
  const known = { endedWell: true, steps: 2, inputTokens: 120, outputTokens: 30 };

  it("is what the host says, then what the framework knows", async () => {
    const run = { version: "2.4", facts: { outcome: "refunded", steps: 7 } };
    expect(await runOf({ run }, spent)).toEqual({
      version: "2.4",
      facts: { ...known, outcome: "refunded", steps: 7 },
    });
    expect(await runOf({}, spent)).toEqual({ facts: known });
  });

  it("is only what the host says if facts are switched off", async () => {
    expect(await runOf({ facts: false, run: { version: "2.4" } }, spent)).toEqual({ version: "2.4" });
    expect(await runOf({ facts: false }, spent)).toBeUndefined();
  });

  it("decides nothing about the run: what cannot be read is left out, and so is an empty text", async () => {
    const broken = {
      get rawResponses(): unknown[] {
        throw new Error("gone");
      },
    };
    const client = aClient();
    const run = Object.defineProperties(aRun(), Object.getOwnPropertyDescriptors(broken));
    await expect(withFeedback(run, optionsWith({ client })).feedback).resolves.toMatchObject(minted);
    expect(client.mint.mock.calls[0]![0]).toMatchObject({ run: { facts: { endedWell: true } } });
    expect((await runOf({}, { lastAgent: { model: "" } }))?.facts).not.toHaveProperty("model");
  });

  it("never exceeds the limits by what the framework adds: a long name is cut, and what has no room is left out", async () => {
    const lastAgent = { model: "m".repeat(80) };
    expect((await runOf({}, { lastAgent }))?.facts).toMatchObject({ model: "m".repeat(64) });
    const facts = Object.fromEntries(Array.from({ length: 16 }, (_, number) => [`fact-${number}`, number]));
    expect((await runOf({ run: { facts } }, spent))?.facts).toEqual(facts);
  });
});

describe("a mint that fails", () => {
  const down = aClient(() => Promise.reject(new ConnectionError("no connection")));

  it("is a line on the console, unless the host has an onError", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await expect(withFeedback(aRun(), optionsWith({ client: down })).feedback).resolves.toBeUndefined();
    expect(warn).toHaveBeenCalledExactlyOnceWith("@afterword/node: no connection");
    const onError = vi.fn<(error: Error) => void>();
    await withFeedback(aRun(), optionsWith({ client: down, onError })).feedback;
    expect(onError).toHaveBeenCalledOnce();
    expect(warn).toHaveBeenCalledOnce();
  });

  it("is named on the console without its message, which may quote personal data, if it is the host's own", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const client = aClient(() => Promise.reject(new RangeError("no row of jo@example.com")));
    await withFeedback(aRun(), optionsWith({ client })).feedback;
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      "@afterword/node: nothing was minted: RangeError. onError gets the error.",
    );
  });

  it("costs the run nothing, even if the host's own report fails", async () => {
    const onError = () => {
      throw new Error("no log");
    };
    const { feedback } = withFeedback(aRun(), optionsWith({ client: down, onError }));
    await expect(feedback).resolves.toBeUndefined();
  });
});

describe("what is no run does not compile, and is refused", () => {
  const options = { client: aClient(), respondentId: "jo", sessionId: "session-1" };
  const inGraph = { ...options, graph: { getState: async () => ({ next: [] }) }, config: {} };

  it("a text", () => {
    // @ts-expect-error a text is no run
    expect(() => withAny("done", options)).toThrow("takes a run");
    // @ts-expect-error a text is no run
    expect(() => withAiSdk("done", options)).toThrow("takes a run");
    // @ts-expect-error a text is no run
    expect(() => withOpenAiAgents("done", options)).toThrow("takes a run");
    // @ts-expect-error a text is no run
    expect(() => withLangGraph("done", inGraph)).toThrow("takes a run");
    // @ts-expect-error a text is no run
    expect(() => withClaude("done", options)).toThrow("takes a run");
    // @ts-expect-error a text is no run
    const ofText = () => withAiSdk(new ReadableStream<string>(), options);
    expect(ofText).not.toThrow();
  });

  it("an empty object", () => {
    // @ts-expect-error an empty object is no run
    const ofAnyAgent = () => withAny({}, options);
    // @ts-expect-error an empty object is no run
    const ofLangGraph = () => withLangGraph({}, inGraph);
    expect([ofAnyAgent, ofLangGraph]).toHaveLength(2);
    // @ts-expect-error an empty object is no run
    expect(() => withAiSdk({}, options)).toThrow("takes a run");
    // @ts-expect-error an empty object is no run
    expect(() => withOpenAiAgents({}, options)).toThrow("takes what run()");
  });

  it("a function that starts a run", () => {
    // @ts-expect-error a function is no run
    expect(() => withAny(async () => "done", options)).toThrow("pass what the function returns");
  });
});
