import type { Given, Snippet, Snippets } from "./snippet.ts";

const variables = (file: string, { secretKey, baseUrl }: Given): Snippet => ({
  file,
  code: `AFTERWORD_SECRET_KEY=${secretKey}\nAFTERWORD_BASE_URL=${baseUrl}\n`,
});

/** The work of the route; every framework reads and replies in its own way. */
const work = `  const sessionId = crypto.randomUUID(); // of the trace in your observability service
  const text = "You asked: " + question; // your agent's work
  // Where people sign in, take the respondent from your session, never from the page.
  const { tokens } = await afterword.mint({ respondentId: visitor, sessionId });
`;

const question = `interface Question {
  question: string;
  visitor: string;
}
`;

const client = "const afterword = new Afterword(); // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL";

const hono = (given: Given): Snippet[] => [
  {
    file: "server.ts",
    code: `// node --env-file=.env server.ts
import { Afterword } from "@afterword/node";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";

${question}
${client}

const app = new Hono();
app.post("/api/answer", async (context) => {
  const { question, visitor } = await context.req.json<Question>();
${work}  return context.json({ text, run: { tokens, sessionId } });
});
app.get("*", serveStatic({ root: "." })); // the page
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 3000 });
`,
  },
  variables(".env", given),
];

const express = (given: Given): Snippet[] => [
  {
    file: "server.ts",
    code: `// node --env-file=.env server.ts
import { Afterword } from "@afterword/node";
import express from "express";

${question}
${client}

const app = express();
app.post("/api/answer", express.json(), async (request, response) => {
  const { question, visitor } = request.body as Question;
${work}  response.json({ text, run: { tokens, sessionId } });
});
app.use(express.static(".")); // the page
app.listen(3000, "127.0.0.1");
`,
  },
  variables(".env", given),
];

const fastify = (given: Given): Snippet[] => [
  {
    file: "server.ts",
    code: `// node --env-file=.env server.ts
import { Afterword } from "@afterword/node";
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
    code: `import { Afterword } from "@afterword/node";

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
  {
    file: "main.py",
    code: `"""pip install fastapi uvicorn python-dotenv httpx; uvicorn main:app --port 3000 --env-file .env"""

import os
import uuid

import httpx
from fastapi import FastAPI
from pydantic import BaseModel

# The secret key stays in this process: a page gets tokens, never the key.
service = httpx.AsyncClient(
    base_url=os.environ["AFTERWORD_BASE_URL"],
    headers={"authorization": f"Bearer {os.environ['AFTERWORD_SECRET_KEY']}"},
    timeout=2,
)
app = FastAPI()


class Question(BaseModel):
    question: str
    visitor: str


@app.post("/api/answer")
async def answer(asked: Question) -> dict:
    session_id = str(uuid.uuid4())  # of the trace in your observability service
    text = f"You asked: {asked.question}"  # your agent's work
    # Where people sign in, take the respondent from your session, never from the page.
    run = {"respondentId": asked.visitor, "sessionId": session_id}
    reply = await service.post("v1/sdk/tokens", json=run)
    tokens = reply.json()["tokens"] if reply.is_success else {}
    return {"text": text, "run": {"tokens": tokens, "sessionId": session_id}}
`,
  },
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
