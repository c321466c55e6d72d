import { readFileSync } from "node:fs";
import { serveStatic } from "@hono/node-server/serve-static";
import { type Afterword } from "@afterword/node";
import { Hono } from "hono";
import { streamText } from "hono/streaming";
import { runAgent, type Outcome, type Step } from "./agent/agent.ts";
import { newOrders } from "./agent/orders.ts";
import { toolsFor, type Tools } from "./agent/tools.ts";
import { browserBuild } from "./processes.ts";
import { readProgress } from "./progress.ts";

interface Demo {
  client: Afterword;
  baseUrl: string;
  publishableKey: string;
  sinkName: string;
  sinkFile: string;
}

type Line = { step: Step } | { outcome: Outcome } | { feedback: Feedback | null };
type Feedback = { surveyId: string; token: string; sessionId: string; taskType?: string };

/** The customer's own server: it runs the agent, holds the secret key and hands tokens to the page. */
export function createDemoServer(demo: Demo): Hono {
  const app = new Hono();
  const toolsOfVisitor = new Map<string, Tools>();
  const page = readFileSync(new URL("./page/index.html", import.meta.url), "utf8");

  app.get("/", (context) => {
    const values: Record<string, string> = { ...demo, visitor: crypto.randomUUID() };
    return context.html(page.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? ""));
  });
  app.post("/chat", async (context) => {
    const { visitor, surveyId, request } = await context.req.json<Record<string, string>>();
    const tools = toolsOfVisitor.get(visitor!) ?? toolsFor(newOrders());
    toolsOfVisitor.set(visitor!, tools);
    return streamText(context, async (stream) => {
      for await (const line of answer(demo.client, visitor!, surveyId!, request!, tools)) {
        await stream.writeln(JSON.stringify(line));
      }
    });
  });
  app.get("/progress/:visitor/:session", async (context) => {
    const { visitor, session } = context.req.param();
    return context.json(await readProgress(demo.client, visitor, session, demo.sinkFile));
  });
  app.use(
    "/afterword/*",
    serveStatic({ root: browserBuild, rewriteRequestPath: withoutPrefix("/afterword") }),
  );
  app.use("/*", serveStatic({ root: new URL("./page", import.meta.url).pathname }));
  return app;
}

const withoutPrefix = (prefix: string) => (path: string) => path.slice(prefix.length);

/** One run of the agent; a finished one is followed by a show-token that is bound to its session. */
async function* answer(
  client: Afterword,
  respondentId: string,
  surveyId: string,
  request: string,
  tools: Tools,
): AsyncGenerator<Line> {
  const run = runAgent(request, tools);
  let next = run.next();
  for (; !next.done; next = run.next()) yield { step: next.value };
  yield { outcome: next.value };
  if (!next.value.finished) return;
  const sessionId = `run-${crypto.randomUUID()}`;
  const { taskType } = next.value;
  const { tokens } = await client.mint({ respondentId, sessionId, taskType, surveyId });
  const token = tokens[surveyId];
  yield { feedback: token ? { surveyId, token, sessionId, taskType } : null };
}
