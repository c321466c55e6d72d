import html from "../../../create-afterword/templates/page/public/index.html?raw";
import script from "../../../create-afterword/templates/page/public/page.js?raw";
import { svelte, vue } from "./component-snippets.ts";
import { filled, instance, viteConfig, watcher, type Given, type Snippet, type Snippets } from "./snippet.ts";

const scriptTag = (given: Given): Snippet[] => [
  { file: "public/index.html", code: filled(html, given) },
  { file: "public/page.js", code: script },
];

const npm = (given: Given): Snippet[] => [
  {
    file: "main.ts",
    code: `import { createAfterword } from "@afterword/browser";

const afterword = ${instance(given)}
document.querySelector("button")!.addEventListener("click", async () => {
  afterword.task(); // the agent works: nothing is asked
  const body = JSON.stringify({ question: "Where is my order?", visitor: afterword.respondent()?.id });
  const headers = { "content-type": "application/json" };
  const reply = await fetch("/api/answer", { method: "POST", headers, body });
  const { text, run } = (await reply.json()) as {
    text: string;
    run: { tokens: Record<string, string>; sessionId: string };
  };
  document.querySelector("p")!.textContent = text;
  for (const [surveyId, token] of Object.entries(run.tokens)) {
    afterword.install({ surveyId, token, sessionId: run.sessionId });
  }
  afterword.resolve(); // the task is done
  afterword.ask("satisfaction");
});
`,
  },
  { file: "lines for <body>", code: "<button>Ask the agent</button>\n<p></p>\n" },
  watcher(given),
];

const reactChat = `import { type HandedOverRun, Thumbs, useAfterword } from "@afterword/react";
import { useState } from "react";

interface Answer {
  text: string;
  run?: HandedOverRun;
}

export NAME() {
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
`;

const react = (given: Given): Snippet[] => [
  {
    file: "src/main.tsx",
    code: `import { AfterwordProvider } from "@afterword/react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat";

const options = {
  key: "${given.publishableKey}",
  baseUrl: "${given.baseUrl}",
  linkedOnly: true, // ask about runs alone
};

createRoot(document.querySelector("#root")!).render(
  <AfterwordProvider options={options}>
    <Chat />
  </AfterwordProvider>,
);
`,
  },
  { file: "src/chat.tsx", code: reactChat.replace("NAME", "function Chat") },
  viteConfig('import react from "@vitejs/plugin-react";', "react()"),
  watcher(given),
];

const next = ({ publishableKey, baseUrl }: Given): Snippet[] => [
  {
    file: "app/layout.tsx",
    code: `import { AfterwordProvider } from "@afterword/react";
import type { ReactNode } from "react";

const options = {
  key: "${publishableKey}",
  baseUrl: "${baseUrl}",
  linkedOnly: true, // ask about runs alone
};

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <AfterwordProvider options={options}>{children}</AfterwordProvider>
        {/* For development only: fills the log of afterword-server dev. */}
        <script async crossOrigin="anonymous" src="${baseUrl}/watch.js" />
      </body>
    </html>
  );
}
`,
  },
  { file: "app/page.tsx", code: `"use client";\n\n${reactChat.replace("NAME", "default function Page")}` },
];

/** The page's half: it sends a question to `/api/answer`, and asks about the run that comes back. */
export const pageSnippets: Snippets = {
  "Script tag": scriptTag,
  "npm": npm,
  "React": react,
  "Next.js": next,
  "Vue": vue,
  "Svelte": svelte,
};
