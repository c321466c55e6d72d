/** A line that contains the text, or lines from the first that contains one to the next that contains the other. */
export type Excerpt = string | [from: string, to: string];

export interface Template {
  title: string;
  /** What the packages are installed from. */
  manifest: "package.json" | "requirements.txt";
  /** Where the app listens by default; `undefined` for a program without a page. */
  port: number | undefined;
  /** Its start command takes the port as a flag alone, not from the file of variables. */
  isPortFlag?: true;
  /** Whether scores must be left in the queue for it. */
  isForwarder?: true;
  /** The survey that it asks with. */
  surveyId: string;
  envFile: ".env" | ".env.local";
  /** What the names of variables begin with that a bundler puts into the page. */
  pagePrefix?: string;
  /** Files that `--add` writes. */
  added: string[];
  /** What `--add` prints, by the file of the template. `where` says where it belongs, and which names are the person's own. */
  pasted: Readonly<Record<string, { lines: Excerpt[]; where?: string }>>;
}

/** @param own what it has in place of what a page with the script tag has */
const withDefaults = (title: string, own: Partial<Template>, pasted: Template["pasted"]): Template => ({
  title,
  manifest: "package.json",
  port: 3000,
  surveyId: "satisfaction",
  envFile: ".env",
  added: [],
  pasted,
  ...own,
});
const vite = { port: 5173, surveyId: "answer", pagePrefix: "VITE_" };
const viteWithElement = { ...vite, added: ["src/afterword.ts"] };
const next: Partial<Template> = {
  surveyId: "answer",
  pagePrefix: "NEXT_PUBLIC_",
  envFile: ".env.local",
  isPortFlag: true,
};
const worker: Partial<Template> = { port: undefined, isForwarder: true, added: ["worker.ts"] };
const python: Partial<Template> = { manifest: "requirements.txt", added: ["afterword.py"] };

const inRoute = (names: string) => `the last lines in the handler of a route, which gets ${names}`;
const yourChat = "what the person asked, and `run` comes with each answer";

const mint: Excerpt = ["const { question, visitor }", "run: {"];
const server: Excerpt[] = ["import { Afterword,", ["interface Question", "}"], "const afterword =", mint];
const ofPage: Template["pasted"] = {
  "public/index.html": { lines: [["<script>", "/watch.js"]] },
  "public/page.js": {
    lines: [['afterword("task")', 'afterword("ask"']],
    where: "in an async function that runs when a person asks the agent",
  },
};
const serverAndPage = (names: string, ...before: Excerpt[]): Template["pasted"] => ({
  "server.ts": { lines: [...before, ...server], where: inRoute(names) },
  ...ofPage,
});
const api: Template["pasted"] = {
  "api.ts": { lines: ["import { Afterword,", "const afterword =", mint], where: inRoute("`context`") },
};
const body: Excerpt = ["const body =", "await fetch"];
const element: Excerpt[] = ["import { afterword }", body, "<afterword-thumbs"];
const provider: Excerpt[] = [
  "import { AfterwordProvider }",
  ["const options", "};"],
  ["<AfterwordProvider", "</AfterwordProvider>"],
];

/** By the name that `--template` takes. */
export const templates: Readonly<Record<string, Template>> = {
  "vite-react": withDefaults("Vite and React", vite, {
    "src/main.tsx": { lines: provider },
    "src/chat.tsx": {
      lines: ["import { type HandedOverRun, Thumbs", "const afterword =", body, "<Thumbs"],
      where: "where `form` is the data of a form, and `run` comes with each answer",
    },
    ...api,
  }),
  "vue": withDefaults("Vite and Vue", viteWithElement, {
    "src/chat.vue": { lines: element, where: `where \`question\` is the ref of ${yourChat}` },
    "src/main.ts": { lines: ["/// <reference"] },
    "vite.config.ts": {
      lines: ["const isCustomElement", "plugins: ["],
      where: "where `api` is the plug-in of the template that answers for your server",
    },
    ...api,
  }),
  "svelte": withDefaults("Vite and Svelte", viteWithElement, {
    "src/chat.svelte": { lines: element, where: `where \`question\` is ${yourChat}` },
    ...api,
  }),
  "next-ai-sdk": withDefaults("Next.js and the AI SDK", next, {
    "app/layout.tsx": { lines: provider, where: "where `id` is the id of the person who is signed in" },
    "app/page.tsx": {
      lines: [["import { Thumbs }", "import { useChat }"], "const { messages", ["{messages.map", "))}"]],
    },
    "app/api/chat/route.ts": {
      lines: [
        ["import { Afterword }", '} from "ai"'],
        "const { messages }",
        ["const run =", "return create"],
      ],
      where: `${inRoute("`request`")}, where \`model\` is your model, and \`respondentId\` the id of the person who is signed in`,
    },
  }),
  "express": withDefaults("Express", {}, serverAndPage("`request` and `response`")),
  "hono": withDefaults("Hono", {}, serverAndPage("`context`")),
  "page": withDefaults("A plain page and a small server", {}, serverAndPage("`request`", "import { json }")),
  "worker": withDefaults("A worker that forwards scores", worker, { "package.json": { lines: ['"dev": '] } }),
  "fastapi": withDefaults("FastAPI", python, {
    "main.py": {
      lines: [
        "import uuid",
        ["from pydantic import", "from afterword import"],
        ["class Question", "return {"],
      ],
      where: "where `app` is your FastAPI app",
    },
    ...ofPage,
  }),
};
