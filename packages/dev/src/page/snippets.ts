import svelteChat from "../../../create-afterword/templates/svelte/src/chat.svelte?raw";
import reactChat from "../../../create-afterword/templates/vite-react/src/chat.tsx?raw";
import nextUser from "../../../create-afterword/templates/next-ai-sdk/app/current-user.ts?raw";
import nextLayout from "../../../create-afterword/templates/next-ai-sdk/app/layout.tsx?raw";
import reactMain from "../../../create-afterword/templates/vite-react/src/main.tsx?raw";
import afterwordModule from "../../../create-afterword/templates/vue/src/afterword.ts?raw";
import vueChat from "../../../create-afterword/templates/vue/src/chat.vue?raw";
import expressServer from "../../../create-afterword/templates/express/server.ts?raw";
import pythonClient from "../../../create-afterword/templates/fastapi/afterword.py?raw";
import pythonServer from "../../../create-afterword/templates/fastapi/main.py?raw";
import honoServer from "../../../create-afterword/templates/hono/server.ts?raw";
import html from "../../../create-afterword/templates/page/public/index.html?raw";
import script from "../../../create-afterword/templates/page/public/page.js?raw";

/** The files of each stack, by its name: each as a project of the reader would name it, or where in one the lines belong. */
export type Snippets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What `{{…}}` in a snippet stands for. The URL has no trailing slash. */
export type Given = Readonly<Record<"publishableKey" | "secretKey" | "baseUrl", string>>;

export const filled = (text: string, given: Given): string =>
  text.replaceAll(/\{\{(publishableKey|secretKey|baseUrl)\}\}/g, (_, name: keyof Given) => given[name]);

/** A file of a template, in which a bundler puts the keys. */
const ofTemplate = (text: string): string =>
  text
    .replace(/\S+_AFTERWORD_KEY!?/, '"{{publishableKey}}"')
    .replace(/\S+_AFTERWORD_BASE_URL!?/, '"{{baseUrl}}"')
    .replace('"./chat.tsx"', '"./chat"');

const inHead = {
  "lines for <head>":
    '<!-- For development only: fills the log of afterword-server dev. -->\n<script crossorigin src="{{baseUrl}}/watch.js"></script>\n',
};

/** With the plug-in of a framework, and a proxy to the server's half, which has a port of its own. */
const viteConfig = (imported: string, plugin: string) => ({
  "vite.config.ts": `${imported}
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [${plugin}],
  server: { proxy: { "/api": "http://127.0.0.1:3000" } }, // your server, while you develop
});
`,
});

/** The page's script with typed elements and tokens, whose calls are methods. */
const asModule = script
  .replaceAll(/afterword\("(\w+)"(?:, )?/g, "afterword.$1(")
  .replaceAll(/(querySelector\(.+?\))/g, "$1!")
  .replace("Object.entries(", "Object.entries<string>(");

const npm = `import { createAfterword } from "@afterword/browser";

const afterword = createAfterword({
  key: "{{publishableKey}}",
  baseUrl: "{{baseUrl}}",
  linkedOnly: true, // ask about runs alone
});

${asModule}`;

/** One instance for the page, in a module of its own that every component imports. */
const instance = { "src/afterword.ts": ofTemplate(afterwordModule) };

/** The page's half: it sends a question to `/api/answer`, and asks about the run that comes back. */
export const pageSnippets: Snippets = {
  "Script tag": { "public/index.html": html, "public/page.js": script },
  "npm": { "main.ts": npm, "lines for <body>": "<button>Ask the agent</button>\n<p></p>\n", ...inHead },
  "React": {
    "src/main.tsx": ofTemplate(reactMain),
    "src/chat.tsx": reactChat,
    ...viteConfig('import react from "@vitejs/plugin-react";', "react()"),
    ...inHead,
  },
  "Next.js": {
    "app/layout.tsx": ofTemplate(nextLayout),
    "app/current-user.ts": nextUser,
    "app/page.tsx": `"use client";\n\n${reactChat.replace("function Chat", "default function Page")}`,
    "lines for <body>":
      '{/* For development only. */}\n<script async crossOrigin="" src="{{baseUrl}}/watch.js" />\n',
  },
  "Vue": {
    ...instance,
    "src/chat.vue": vueChat,
    ...viteConfig(
      'import vue from "@vitejs/plugin-vue";',
      'vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("afterword-") } } })',
    ),
    ...inHead,
  },
  "Svelte": {
    ...instance,
    "src/chat.svelte": svelteChat,
    ...viteConfig('import { svelte } from "@sveltejs/vite-plugin-svelte";', "svelte()"),
    ...inHead,
  },
};

/** The lines of the template for Hono from one text on, and before another. */
const ofHono = (from: string, until: string): string =>
  honoServer.slice(honoServer.indexOf(from), honoServer.indexOf(until));
/** The work of the route; every framework reads and replies in its own way. */
const work = ofHono("  const sessionId", "  return context");
const client = ofHono("interface Question", "const app");

const fastify = `// node --env-file=.env server.ts
import { Afterword, withFeedback } from "@afterword/node";
import fastify from "fastify";

${client}const app = fastify();
app.post("/api/answer", async (request) => {
  const { question, visitor } = request.body as Question;
${work}  return { text, run: { tokens, sessionId } };
});
await app.listen({ host: "127.0.0.1", port: 3000 });
`;

const nextRoute = `import { Afterword, withFeedback } from "@afterword/node";

${client}export async function POST(request: Request): Promise<Response> {
  const { question, visitor } = (await request.json()) as Question;
${work}  return Response.json({ text, run: { tokens, sessionId } });
}
`;

const variables = "AFTERWORD_SECRET_KEY={{secretKey}}\nAFTERWORD_BASE_URL={{baseUrl}}\n";

/** The server's half: it answers `/api/answer`, and mints once the agent is done. */
export const serverSnippets: Snippets = {
  "Hono": { "server.ts": honoServer, ".env": variables },
  "Express": { "server.ts": expressServer, ".env": variables },
  "Fastify": { "server.ts": fastify, ".env": variables },
  "Next.js": { "app/api/answer/route.ts": nextRoute, ".env.local": variables },
  "Python": { "main.py": pythonServer, "afterword.py": pythonClient, ".env": variables },
};
