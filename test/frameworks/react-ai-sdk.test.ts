import { type AiSdkOptions, withFeedback } from "@afterword/node/ai-sdk";
import { AfterwordProvider } from "@afterword/react";
import { runOf } from "@afterword/react/ai-sdk";
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { convertArrayToReadableStream } from "ai/test";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { aClient, session } from "./a-client.ts";
import { Answers } from "./recipes/react-ai-sdk.tsx";

const chunks: UIMessageChunk[] = [
  { type: "start", messageId: "m1" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Refunded." },
  { type: "text-end", id: "1" },
  { type: "finish", finishReason: "stop" },
];

/** The message as a page has it while its stream goes on, each time it changes. */
async function messagesOf(carryIn: AiSdkOptions["carryIn"]): Promise<UIMessage[]> {
  const { result: stream } = withFeedback(convertArrayToReadableStream(chunks), {
    client: aClient(),
    carryIn,
    ...session(),
  });
  const messages: UIMessage[] = [];
  for await (const message of readUIMessageStream({ stream })) messages.push(structuredClone(message));
  return messages;
}

describe("the run in a message of the AI SDK", () => {
  it.each(["metadata", "data-part"] as const)("is read from its %s, once it has arrived", async (carryIn) => {
    const messages = await messagesOf(carryIn);
    expect(runOf(messages[0]!)).toBeUndefined();
    expect(runOf(messages.at(-1)!)).toMatchObject({
      tokens: { csat: "st2.token" },
      sessionId: session().sessionId,
    });
  });

  it("gets thumbs beside its text", async () => {
    const messages = (await messagesOf("metadata")).slice(-1);
    const options = { key: "aw_pk_of-a-page", baseUrl: "https://feedback.example.com" };
    const html = renderToString(
      createElement(AfterwordProvider, { options }, createElement(Answers, { messages })),
    );
    expect(html).toMatch(/<article>Refunded\..*<afterword-thumbs/);
  });

  it("a message of ai 4, which has no parts, is an error that says what to do", () => {
    const old = { id: "m1", role: "assistant", content: "Refunded." } as unknown as UIMessage;
    expect(() => runOf(old)).toThrow("runOf() needs ai 5 or newer");
  });

  it.each([[undefined], [null], ["run"], [{ tokens: {} }], [{ sessionId: "s" }]])(
    "%j in its place is no run",
    (given) => {
      const message: UIMessage = { id: "m", role: "assistant", parts: [], metadata: { afterword: given } };
      expect(runOf(message)).toBeUndefined();
    },
  );
});
