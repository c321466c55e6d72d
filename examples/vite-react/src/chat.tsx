import { type HandedOverRun, Thumbs, useAfterword } from "@afterword/react";
import { useState } from "react";

interface Answer {
  text: string;
  run: HandedOverRun;
}

export function Chat() {
  const afterword = useAfterword();
  const [answers, setAnswers] = useState<Answer[]>([]);
  async function ask(form: FormData) {
    const body = JSON.stringify({ question: form.get("question"), visitor: afterword.respondent()?.id });
    const headers = { "content-type": "application/json" };
    const reply = await fetch("/api/answer", { method: "POST", headers, body });
    const answer = (await reply.json()) as Answer;
    setAnswers((earlier) => [...earlier, answer]);
  }
  return (
    <>
      {answers.map(({ text, run }) => (
        <article key={run.sessionId}>
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
