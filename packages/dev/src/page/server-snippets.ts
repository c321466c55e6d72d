import pythonClient from "../../../../examples/python-agent/afterword.py?raw";
import expressServer from "../../../create-afterword/templates/express/server.ts?raw";
import pythonServer from "../../../create-afterword/templates/fastapi/main.py?raw";
import honoServer from "../../../create-afterword/templates/hono/server.ts?raw";
import type { Given, Snippet, Snippets } from "./snippet.ts";

const variables = (file: string, { secretKey, baseUrl }: Given): Snippet => ({
  file,
  code: `AFTERWORD_SECRET_KEY=${secretKey}\nAFTERWORD_BASE_URL=${baseUrl}\n`,
});

/** The work of the route; every framework reads and replies in its own way. */
const work = `  const sessionId = crypto.randomUUID(); // of the trace in your observability service
  const text = \`You asked: \${question}\`; // your agent's work
  // Where people sign in, take the respondent from your session, never from the page.
  const { feedback } = withFeedback({ text }, { client: afterword, respondentId: visitor, sessionId });
  const { tokens } = (await feedback) ?? { tokens: {} }; // a mint that fails is logged: the answer goes out
`;

const question = `interface Question {
  question: string;
  visitor: string;
}
`;

const client = "const afterword = new Afterword(); // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL";

const hono = (given: Given): Snippet[] => [{ file: "server.ts", code: honoServer }, variables(".env", given)];

const express = (given: Given): Snippet[] => [
  { file: "server.ts", code: expressServer },
  variables(".env", given),
];

const fastify = (given: Given): Snippet[] => [
  {
    file: "server.ts",
    code: `// node --env-file=.env server.ts
import { Afterword, withFeedback } from "@afterword/node";
import fastify from "fastify";

${question}
${client}

const app = fastify();
app.post("/api/answer", async (request) => {
  const { question, visitor } = request.body as Question;
${work}  return { text, run: { tokens, sessionId } };
});
await app.listen({ host: "127.0.0.1", port: 3000 });
`,
  },
  variables(".env", given),
];

const next = (given: Given): Snippet[] => [
  {
    file: "app/api/answer/route.ts",
    code: `import { Afterword, withFeedback } from "@afterword/node";

${question}
${client}

export async function POST(request: Request): Promise<Response> {
  const { question, visitor } = (await request.json()) as Question;
${work}  return Response.json({ text, run: { tokens, sessionId } });
}
`,
  },
  variables(".env.local", given),
];

const python = (given: Given): Snippet[] => [
  { file: "main.py", code: pythonServer },
  { file: "afterword.py", code: pythonClient },
  variables(".env", given),
];

/** The server's half: it answers `/api/answer`, and mints once the agent is done. */
export const serverSnippets: Snippets = {
  "Hono": hono,
  "Express": express,
  "Fastify": fastify,
  "Next.js": next,
  "Python": python,
};
