import { type Child } from "./child.ts";

/** A line that contains the text, or lines from the first that contains one to the next that contains the other. */
export type Excerpt = string | [from: string, to: string];

/** A running `afterword-server dev`. */
export interface DevServer {
  /** Without a trailing slash. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** If this program has started it. */
  program?: Child;
}

export interface Template {
  title: string;
  /** What the packages are installed from. */
  manifest: "package.json" | "requirements.txt";
  /** Where the app listens by default; `undefined` for a program without a page. */
  port?: number;
  /** Its start command takes the port as a flag alone, not from the file of variables. */
  isPortFlag?: true;
  /** The survey that it asks with. */
  surveyId: string;
  envFile: ".env" | ".env.local";
  variables(dev: DevServer): Record<string, string>;
  /** Files that `--add` writes. */
  added: string[];
  /** What `--add` prints, by the file of the template. */
  pasted: Readonly<Record<string, Excerpt[]>>;
  /** By the file too: where its lines belong, and which names in them are the person's own. */
  yours?: Readonly<Record<string, string>>;
}

const ofServer = ({ url, secretKey }: DevServer) => ({
  AFTERWORD_SECRET_KEY: secretKey,
  AFTERWORD_BASE_URL: url,
});

/** Bundlers put variables with their prefix into the page. */
const withPage = (prefix: string) => (dev: DevServer) => ({
  ...ofServer(dev),
  [`${prefix}AFTERWORD_KEY`]: dev.publishableKey,
  [`${prefix}AFTERWORD_BASE_URL`]: dev.url,
});

const mint: Excerpt = ["const { question, visitor }", "run: {"];
const server: Excerpt[] = ["import { Afterword,", ["interface Question", "}"], "const afterword =", mint];
const page: Template["pasted"] = {
  "public/index.html": [["<script>", "/watch.js"]],
  "public/page.js": [['afterword("task")', 'afterword("ask"']],
};
const yourPage = { "public/page.js": "in an async function that runs when a person asks the agent" };
const inRoute = (names: string) => `the last lines in the handler of a route, which gets ${names}`;

const withScriptTag = (title: string, names: string, imported: Excerpt[] = []): Template => ({
  title,
  manifest: "package.json",
  port: 3000,
  surveyId: "satisfaction",
  envFile: ".env",
  variables: ofServer,
  added: [],
  pasted: { "server.ts": [...imported, ...server], ...page },
  yours: { "server.ts": inRoute(names), ...yourPage },
});

/** A chat with thumbs, and its API. */
const withVite = (title: string, rest: Pick<Template, "added" | "pasted" | "yours">): Template => ({
  title,
  manifest: "package.json",
  port: 5173,
  surveyId: "answer",
  envFile: ".env",
  variables: withPage("VITE_"),
  added: rest.added,
  pasted: { ...rest.pasted, "api.ts": ["import { Afterword,", "const afterword =", mint] },
  yours: { ...rest.yours, "api.ts": inRoute("`context`") },
});

const body: Excerpt = ["const body =", "await fetch"];
const element: Excerpt[] = ["import { afterword }", body, "<afterword-thumbs"];
const yourChat = "what the person asked, and `run` comes with each answer";

/** By the name that `--template` takes. */
export const templates: Readonly<Record<string, Template>> = {
  "vite-react": withVite("Vite and React", {
    added: [],
    pasted: {
      "src/main.tsx": [
        "import { AfterwordProvider }",
        ["const options", "};"],
        ["<AfterwordProvider", "</AfterwordProvider>"],
      ],
      "src/chat.tsx": ["import { type HandedOverRun, Thumbs", "const afterword =", body, "<Thumbs"],
    },
    yours: { "src/chat.tsx": "where `form` is the data of a form, and `run` comes with each answer" },
  }),
  "vue": withVite("Vite and Vue", {
    added: ["src/afterword.ts"],
    pasted: {
      "src/chat.vue": element,
      "src/main.ts": ["/// <reference"],
      "vite.config.ts": ["const isCustomElement", "plugins: ["],
    },
    yours: {
      "src/chat.vue": `where \`question\` is the ref of ${yourChat}`,
      "vite.config.ts": "where `api` is the plug-in of the template that answers for your server",
    },
  }),
  "svelte": withVite("Vite and Svelte", {
    added: ["src/afterword.ts"],
    pasted: { "src/chat.svelte": element },
    yours: { "src/chat.svelte": `where \`question\` is ${yourChat}` },
  }),
  "next-ai-sdk": {
    title: "Next.js and the AI SDK",
    manifest: "package.json",
    port: 3000,
    isPortFlag: true,
    surveyId: "answer",
    envFile: ".env.local",
    variables: withPage("NEXT_PUBLIC_"),
    added: [],
    pasted: {
      "app/layout.tsx": [
        "import { AfterwordProvider }",
        ["const options", "};"],
        ["<AfterwordProvider", "</AfterwordProvider>"],
      ],
      "app/page.tsx": [
        ["import { Thumbs }", "import { useChat }"],
        "const { messages",
        ["{messages.map", "))}"],
      ],
      "app/api/chat/route.ts": [
        ["import { Afterword }", '} from "ai"'],
        "const { messages }",
        ["const run =", "return create"],
      ],
    },
    yours: {
      "app/layout.tsx": "where `id` is the id of the person who is signed in",
      "app/api/chat/route.ts": `${inRoute("`request`")}, where \`model\` is your model, and \`respondentId\` the id of the person who is signed in`,
    },
  },
  "express": withScriptTag("Express", "`request` and `response`"),
  "hono": withScriptTag("Hono", "`context`"),
  "page": withScriptTag("A plain page and a small server", "`request`", ["import { json }"]),
  "worker": {
    title: "A worker that forwards scores",
    manifest: "package.json",
    surveyId: "satisfaction",
    envFile: ".env",
    variables: (dev) => ({ ...ofServer(dev), AFTERWORD_PUBLISHABLE_KEY: dev.publishableKey }),
    added: ["worker.ts"],
    pasted: { "package.json": ['"dev": '] },
  },
  "fastapi": {
    title: "FastAPI",
    manifest: "requirements.txt",
    port: 3000,
    surveyId: "satisfaction",
    envFile: ".env",
    variables: ofServer,
    added: ["afterword.py"],
    pasted: {
      "main.py": [
        "import uuid",
        ["from pydantic import", "from afterword import"],
        ["class Question", "return {"],
      ],
      ...page,
    },
    yours: { "main.py": "where `app` is your FastAPI app", ...yourPage },
  },
};
