/** @jsxImportSource react */
// @vitest-environment happy-dom
// @vitest-environment-options { "settings": { "fetch": { "disableSameOriginPolicy": true } } }
import "../../packages/react/fixtures/happy-dom.ts";
import { type AiSdkOptions, withFeedback } from "@afterword/node/ai-sdk";
import type { RatedRun } from "@afterword/browser";
import { AfterwordProvider } from "@afterword/react";
import {
  createFeedbackAdapter,
  type FeedbackAdapterOptions,
  runOfMessage,
} from "@afterword/react/assistant-ui";
import type { RunningServer } from "@afterword/reference-server";
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  type ChatModelRunResult,
  type FeedbackAdapter,
  MessagePrimitive,
  ThreadPrimitive,
  useAui,
  useAuiState,
  useLocalRuntime,
} from "@assistant-ui/react";
import type { UIMessageChunk } from "ai";
import { convertArrayToReadableStream } from "ai/test";
import { act, type ReactElement } from "react";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  mint,
  pendingSessions,
  startService,
  storedFor,
} from "../../packages/browser/fixtures/test-service.ts";
import { aClient as aPage } from "../../packages/react/fixtures/a-client.ts";
import { render } from "../../packages/react/fixtures/render.ts";
import { aClient as aMinter } from "./a-client.ts";
import { Chat, Thread as DocumentedThread } from "./recipes/assistant-ui.tsx";

vi.setConfig({ testTimeout: 20_000 });
const patience = { timeout: 10_000 };

let service: RunningServer;
beforeAll(async () => void (service = await startService()));
afterAll(() => service.close());

/** A person with a client, and a finished run as the server hands it over. */
async function aPerson(surveyId = "auto") {
  const page = aPage(service.url);
  const sessionId = `session-of-${page.person}`;
  // The file that sends has loaded by the time a person has read an answer.
  await page.client.rate({} as RatedRun, { rating: 1 }, { signal: AbortSignal.abort() });
  const { token } = await mint(service, surveyId, page.person, sessionId);
  return { ...page, run: { tokens: { [surveyId]: token }, sessionId } };
}

const answers = (person: string) =>
  vi.waitUntil(async () => {
    const stored = await storedFor(service, person);
    return stored.length > 0 && stored;
  }, patience);

function Answer() {
  const message = useAuiState((state) => state.message);
  return (
    <MessagePrimitive.Root data-has-run={!!runOfMessage(message)}>
      <ActionBarPrimitive.FeedbackPositive>up</ActionBarPrimitive.FeedbackPositive>
      <ActionBarPrimitive.FeedbackNegative>down</ActionBarPrimitive.FeedbackNegative>
    </MessagePrimitive.Root>
  );
}

function Ask() {
  const aui = useAui();
  return <button onClick={() => aui.thread().append("Where is my refund?")}>ask</button>;
}

function Thread() {
  return (
    <>
      <Ask />
      <ThreadPrimitive.Messages components={{ UserMessage: () => null, AssistantMessage: Answer }} />
    </>
  );
}

/** Asks in the chat; returns how to press a thumb under its answer. */
async function askIn(chat: ReactElement, answered = "[data-has-run]") {
  const { container } = await render(chat);
  const press = (name: string) =>
    act(async () =>
      [...container.querySelectorAll("button")].find((one) => one.textContent === name)!.click(),
    );
  await press("ask");
  await act(() => vi.waitUntil(() => container.querySelector(answered), patience));
  await act(async () => {});
  return { press, container };
}

type Handed = Pick<ChatModelRunResult, "metadata"> & { content?: ChatModelRunResult["content"] };

function Local({ feedback, handed }: { feedback: FeedbackAdapter; handed: Handed }) {
  const text = { type: "text", text: "Refunded." } as const;
  const runtime = useLocalRuntime(
    { run: async () => ({ ...handed, content: [text, ...(handed.content ?? [])] }) },
    { adapters: { feedback } },
  );
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread />
    </AssistantRuntimeProvider>
  );
}

describe("feedback in a chat of assistant-ui with the AI SDK", () => {
  const chunks: UIMessageChunk[] = [
    { type: "start", messageId: "m1" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "Refunded." },
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: "stop" },
  ];

  it.each([
    ["metadata", "Good answer", 5],
    ["data-part", "Bad answer", 1],
  ] as const)(
    "is stored with the session that the server put into the %s: %s is %i",
    async (carryIn, thumb, rating) => {
      const { client, person, run, errors } = await aPerson();
      const minted = {
        tokens: run.tokens,
        suppression: [],
        issuedAt: "2026-11-22T09:00:00.000Z",
        gated: false,
        sampled: {},
      };
      const options: AiSdkOptions = {
        client: aMinter(async () => minted),
        carryIn,
        respondentId: person,
        sessionId: run.sessionId,
      };
      const transport = {
        sendMessages: async () => withFeedback(convertArrayToReadableStream(chunks), options).result,
        reconnectToStream: async () => null,
      };
      const { press, container } = await askIn(
        <AfterwordProvider client={client}>
          <Chat transport={transport} surveyId="auto">
            <Ask />
            <DocumentedThread />
          </Chat>
        </AfterwordProvider>,
        "[data-message-id] button",
      );
      expect(container.textContent).toContain("Where is my refund?Refunded.");
      await press(thumb);
      dispatchEvent(new Event("pagehide"));
      expect(await answers(person)).toMatchObject([{ rating }]);
      expect([await pendingSessions(service), errors]).toEqual([expect.arrayContaining([run.sessionId]), []]);
    },
  );
});

describe("createFeedbackAdapter", () => {
  const local = (
    client: Parameters<typeof createFeedbackAdapter>[0],
    handed: Handed,
    options?: FeedbackAdapterOptions,
  ) => askIn(<Local feedback={createFeedbackAdapter(client, options)} handed={handed} />);

  it.each([["metadata"], ["data part"]])(
    "reads the run from the %s of a local runtime's answer",
    async (place) => {
      const { client, person, run } = await aPerson();
      const part = { type: "data", name: "afterword", data: run } as const;
      const handed =
        place === "metadata" ? { metadata: { custom: { afterword: run } } } : { content: [part] };
      const { press } = await local(client, handed, { holdInMs: 0 });
      await press("down");
      expect(await answers(person)).toMatchObject([{ surveyId: "auto", rating: 1 }]);
      expect(await pendingSessions(service)).toContain(run.sessionId);
    },
  );

  it("sends the comment of a feedback dialog as the text", async () => {
    const { client, person, run } = await aPerson();
    const message = { metadata: { custom: { afterword: run } }, content: [] };
    const adapter = createFeedbackAdapter(client, { holdInMs: 0 });
    adapter.submit({ message, type: "negative", comment: "Not mine." });
    expect(await answers(person)).toMatchObject([{ rating: 1, text: "Not mine." }]);
  });

  it.each([
    ["no run", {}],
    ["a run without tokens", { metadata: { custom: { afterword: { tokens: {}, sessionId: "gated" } } } }],
  ])("tells the client's error listeners about feedback on a message with %s", async (_, handed) => {
    const { client, person, errors } = await aPerson();
    const { press } = await local(client, handed, { holdInMs: 0 });
    expect(errors).toEqual([]);
    await press("up");
    await vi.waitUntil(() => errors.length > 0, patience);
    expect(errors).toMatchObject([{ code: "invalid_argument" }]);
    expect(errors[0]!.message).toContain("let the server put the run into its metadata");
    expect(await storedFor(service, person)).toEqual([]);
  });
});
