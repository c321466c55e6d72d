import html from "../../../create-afterword/templates/page/public/index.html?raw";
import script from "../../../create-afterword/templates/page/public/page.js?raw";
import svelteChat from "../../../../examples/svelte/src/chat.svelte?raw";
import reactChat from "../../../../examples/vite-react/src/chat.tsx?raw";
import afterwordModule from "../../../../examples/vue/src/afterword.ts?raw";
import vueChat from "../../../../examples/vue/src/chat.vue?raw";
import { filled, viteConfig, watcher, type Given, type Snippet, type Snippets } from "./snippet.ts";

const scriptTag = (given: Given): Snippet[] => [
  { file: "public/index.html", code: filled(html, given) },
  { file: "public/page.js", code: script },
];

const npm = (given: Given): Snippet[] => [
  {
    file: "main.ts",
    code: `import { createAfterword } from "@afterword/browser";

const afterword = createAfterword({
  key: "${given.publishableKey}",
  baseUrl: "${given.baseUrl}",
  linkedOnly: true, // ask about runs alone
});

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
  { file: "src/chat.tsx", code: reactChat },
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
  {
    file: "app/page.tsx",
    code: `"use client";\n\n${reactChat.replace("function Chat", "default function Page")}`,
  },
];

/** One instance for the page, in a module of its own that every component imports. */
const module = (given: Given): Snippet => ({
  file: "src/afterword.ts",
  code: filled(afterwordModule, given),
});

const vue = (given: Given): Snippet[] => [
  module(given),
  { file: "src/chat.vue", code: vueChat },
  viteConfig(
    'import vue from "@vitejs/plugin-vue";',
    'vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("afterword-") } } })',
  ),
  watcher(given),
];

const svelte = (given: Given): Snippet[] => [
  module(given),
  { file: "src/chat.svelte", code: svelteChat },
  viteConfig('import { svelte } from "@sveltejs/vite-plugin-svelte";', "svelte()"),
  watcher(given),
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
