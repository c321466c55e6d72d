"use client";

import { Thumbs } from "@afterword/react";
import { runOf } from "@afterword/react/ai-sdk";
import { useChat } from "@ai-sdk/react";

export default function Page() {
  const { messages, sendMessage } = useChat();
  return (
    <main>
      {messages.map((message) => (
        <article key={message.id}>
          {message.parts.map((part, index) => part.type === "text" && <p key={index}>{part.text}</p>)}
          {message.role === "assistant" && <Thumbs run={runOf(message)} surveyId="answer" />}
        </article>
      ))}
      <form action={(form) => sendMessage({ text: form.get("question") as string })}>
        <label>
          Your question <input name="question" required />
        </label>
        <button>Ask</button>
      </form>
    </main>
  );
}
