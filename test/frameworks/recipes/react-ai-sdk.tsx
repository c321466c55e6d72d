/** @jsxImportSource react */
// recipe
import { Thumbs } from "@afterword/react";
import { runOf } from "@afterword/react/ai-sdk";
import type { UIMessage } from "ai";

/** The `messages` of `useChat`. */
export function Answers({ messages }: { messages: UIMessage[] }) {
  return messages.map((message) => (
    <article key={message.id}>
      {message.parts.map((part) => part.type === "text" && part.text)}
      <Thumbs run={runOf(message)} surveyId="answer" />
    </article>
  ));
}
// end
