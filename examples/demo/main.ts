import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Afterword } from "@afterword/node";
import { projectId, serverConfig } from "./config.ts";
import { chooseRecorder } from "./record-run.ts";
import { startForwarder, startReferenceServer, startResults } from "./processes.ts";
import { createDemoServer } from "./server.ts";
import { chooseSink } from "./sink.ts";

const host = "127.0.0.1";
const folder = mkdtempSync(join(tmpdir(), "afterword-demo-"));
// Also when something fails to start.
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const inFolder = (name: string) => join(folder, name);
const sinkFile = process.env["AFTERWORD_DEMO_SCORES"] ?? inFolder("scores.jsonl");

// The page's origin must be known before the service starts, so the page's server listens first.
let handle: (request: Request) => Response | Promise<Response> = () =>
  new Response("Starting", { status: 503 });
const pageServer = serve({
  fetch: (request) => handle(request),
  hostname: host,
  port: Number(process.env["PORT"] ?? 0),
});
await new Promise((resolve) => pageServer.once("listening", resolve));
const origin = `http://${host}:${(pageServer.address() as AddressInfo).port}`;

writeFileSync(inFolder("afterword.json"), JSON.stringify(serverConfig([origin])));
const flags = [
  "--config",
  inFolder("afterword.json"),
  "--db",
  inFolder("afterword.db"),
  // Otherwise audit lines would fill the terminal.
  "--audit-file",
  inFolder("audit.jsonl"),
  "--host",
  host,
  "--port",
  "0",
];
const service = await startReferenceServer(flags);
const client = new Afterword({ secretKey: service.secretKey, baseUrl: service.url });
const sink = chooseSink(process.env, sinkFile);
const forwarder = startForwarder(service.url, service, sink.flags);

const results = await startResults(inFolder("afterword.db"), projectId);

const { url: baseUrl, publishableKey } = service;
const recordRun = chooseRecorder(process.env);
handle = createDemoServer({
  client,
  baseUrl,
  publishableKey,
  sinkName: sink.name,
  sinkFile,
  recordRun,
  resultsUrl: results.url,
}).fetch;
console.log(`The demo is ready: ${origin}/  (Ctrl-C ends it)`);

const children = [forwarder, results.child, service.child];
let ending = false;

/** Ends what was started: the forwarder first, the service last. */
async function end(exitCode: number) {
  if (ending) return;
  ending = true;
  pageServer.close();
  if ("closeAllConnections" in pageServer) pageServer.closeAllConnections();
  for (const child of children) {
    if (child.exitCode !== null) continue;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  process.exit(exitCode);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end(0));
for (const child of children) child.once("exit", () => void end(1));
