import { type DevServer } from "./find-dev.ts";

/** Lines of a file of the template, from the first that contains `from` to the next that contains `to`. */
export interface Excerpt {
  file: string;
  from: string;
  /** Default: one line. */
  to?: string;
}

export interface Template {
  title: string;
  /** What the packages are installed from. */
  manifest: "package.json" | "requirements.txt";
  /** Where the app listens by default; `undefined` for a program without a page. */
  port?: number;
  /** The survey that it asks with. */
  surveyId: string;
  envFile: ".env" | ".env.local";
  variables(dev: DevServer): Record<string, string>;
  /** Files that `--add` writes. */
  added: string[];
  /** What `--add` prints. */
  pasted: Excerpt[];
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

const pasted: Record<"page" | "server", Excerpt[]> = {
  page: [
    { file: "public/index.html", from: "<script>", to: "/watch.js" },
    { file: "public/page.js", from: 'afterword("task")', to: 'afterword("ask"' },
  ],
  server: [
    { file: "server.ts", from: "import { Afterword," },
    { file: "server.ts", from: "interface Question", to: "}" },
    { file: "server.ts", from: "const afterword =" },
    { file: "server.ts", from: "const { question, visitor }", to: "run: {" },
  ],
};

const withScriptTag = (title: string): Template => ({
  title,
  manifest: "package.json",
  port: 3000,
  surveyId: "satisfaction",
  envFile: ".env",
  variables: ofServer,
  added: [],
  pasted: [...pasted.server, ...pasted.page],
});

/** By the name that `--template` takes. */
export const templates: Readonly<Record<string, Template>> = {
  "vite-react": {
    title: "Vite and React",
    manifest: "package.json",
    port: 5173,
    surveyId: "answer",
    envFile: ".env",
    variables: withPage("VITE_"),
    added: [],
    pasted: [
      { file: "src/main.tsx", from: "import { AfterwordProvider }" },
      { file: "src/main.tsx", from: "const { VITE_AFTERWORD_KEY" },
      { file: "src/main.tsx", from: "<AfterwordProvider", to: "</AfterwordProvider>" },
      { file: "src/chat.tsx", from: "import { type HandedOverRun, Thumbs" },
      { file: "src/chat.tsx", from: "const afterword =" },
      { file: "src/chat.tsx", from: "const body =", to: "await fetch" },
      { file: "src/chat.tsx", from: "<Thumbs" },
      { file: "api.ts", from: "import { Afterword," },
      { file: "api.ts", from: "const afterword =" },
      { file: "api.ts", from: "const { question, visitor }", to: "run: {" },
    ],
  },
  "next-ai-sdk": {
    title: "Next.js and the AI SDK",
    manifest: "package.json",
    port: 3000,
    surveyId: "answer",
    envFile: ".env.local",
    variables: withPage("NEXT_PUBLIC_"),
    added: [],
    pasted: [
      { file: "app/layout.tsx", from: "import { AfterwordProvider }" },
      { file: "app/layout.tsx", from: "const options", to: "};" },
      { file: "app/layout.tsx", from: "<AfterwordProvider", to: "</AfterwordProvider>" },
      { file: "app/page.tsx", from: "import { Thumbs }", to: "import { runOf }" },
      { file: "app/page.tsx", from: "<Thumbs" },
      { file: "app/api/chat/route.ts", from: "import { Afterword }", to: "import { withFeedback }" },
      { file: "app/api/chat/route.ts", from: "const { result: stream }", to: "});" },
    ],
  },
  "express": withScriptTag("Express"),
  "hono": withScriptTag("Hono"),
  "page": {
    ...withScriptTag("A plain page and a small server"),
    pasted: [{ file: "server.ts", from: "import { json }" }, ...pasted.server, ...pasted.page],
  },
  "worker": {
    title: "A worker that forwards scores",
    manifest: "package.json",
    surveyId: "satisfaction",
    envFile: ".env",
    variables: (dev) => ({ ...ofServer(dev), AFTERWORD_PUBLISHABLE_KEY: dev.publishableKey }),
    added: ["worker.ts"],
    pasted: [{ file: "package.json", from: '"dev": ' }],
  },
  "fastapi": {
    title: "FastAPI",
    manifest: "requirements.txt",
    port: 3000,
    surveyId: "satisfaction",
    envFile: ".env",
    variables: ofServer,
    added: ["afterword.py"],
    pasted: [
      { file: "main.py", from: "import uuid" },
      { file: "main.py", from: "from pydantic import", to: "from afterword import" },
      { file: "main.py", from: "class Question", to: "return {" },
      ...pasted.page,
    ],
  },
};
