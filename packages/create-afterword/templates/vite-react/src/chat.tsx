import { type HandedOverRun, Thumbs, useAfterword } from "@afterword/react";
import { useState } from "react";

interface Answer {
  text: string;
  run?: HandedOverRun;
}

export function Chat() {
  const afterword = useAfterword();
  const [answers, setAnswers] = useState<Answer[]>([]);
  async function ask(form: FormData) {
    const body = JSON.stringify({ question: form.get("question"), visitor: afterword.respondent()?.id });
    const headers = { "content-type": "application/json" };
    // An action that throws would unmount the chat.
    const reply = await fetch("/api/answer", { method: "POST", headers, body }).catch(() => undefined);
    const answer = reply?.ok ? ((await reply.json()) as Answer) : { text: "No answer came. Ask again." };
    setAnswers((earlier) => [...earlier, answer]);
  }
  return (
    <>
      {answers.map(({ text, run }, index) => (
        <article key={index}>
          <p>{text}</p>
          <Thumbs run={run} surveyId="answer" />
        </article>
      ))}
      <form action={ask}>
        <label>
          Your question <input name="question" required />
        </label>
        <button>Ask</button>
      </form>
    </>
  );
}
