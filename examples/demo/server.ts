import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveStatic } from "@hono/node-server/serve-static";
import { type Afterword } from "@afterword/node";
import { Hono } from "hono";
import { streamText } from "hono/streaming";
import { newOrders } from "./agent/orders.ts";
import { toolsFor, type Tools } from "./agent/tools.ts";
import { AgentRun, linesWithFeedback } from "./agent-run.ts";
import { type Dev } from "./processes.ts";
import { readProgress } from "./progress.ts";
import { type RecordRun } from "./record-run.ts";

interface Demo {
  client: Afterword;
  dev: Dev;
  sinkName: string;
  sinkFile: string;
  recordRun: RecordRun;
}

type Task = ConstructorParameters<typeof AgentRun>[0];

const pageFolder = fileURLToPath(new URL("page", import.meta.url));

/** The customer's server: it runs the agent, holds the secret key and passes tokens to the page. */
export function createDemoServer(demo: Demo): Hono {
  const { client, sinkName, sinkFile } = demo;
  const { url: baseUrl, publishableKey } = demo.dev;
  const app = new Hono();
  const toolsOfVisitor = new Map<string, Tools>();
  const page = readFileSync(join(pageFolder, "index.html"), "utf8");

  app.get("/", (context) => {
    const visitor = crypto.randomUUID();
    const values: Record<string, string> = { baseUrl, publishableKey, sinkName, visitor };
    return context.html(page.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? ""));
  });
  app.post("/chat", async (context) => {
    const task = await context.req.json<Task>();
    const tools = toolsOfVisitor.get(task.visitor) ?? toolsFor(newOrders());
    toolsOfVisitor.set(task.visitor, tools);
    const run = new AgentRun(task, tools);
    return streamText(context, async (stream) => {
      for await (const line of linesWithFeedback(client, run)) await stream.writeln(JSON.stringify(line));
      await demo.recordRun(run, task.request);
    });
  });
  app.get("/progress/:session/:survey", async (context) => {
    const { session, survey } = context.req.param();
    return context.json(await readProgress(client, session, survey, sinkFile));
  });
  app.use("/*", serveStatic({ root: pageFolder }));
  return app;
}
