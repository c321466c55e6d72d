import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Afterword } from "@afterword/node";
import { chooseRecorder } from "./record-run.ts";
import { startDev, startForwarder } from "./processes.ts";
import { createDemoServer } from "./server.ts";
import { chooseSink } from "./sink.ts";

const host = "127.0.0.1";
const folder = mkdtempSync(join(tmpdir(), "afterword-demo-"));
// Also when something fails to start.
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const sinkFile = process.env["AFTERWORD_DEMO_SCORES"] ?? join(folder, "scores.jsonl");

const dev = await startDev(folder);
const sink = chooseSink(process.env, sinkFile);
const children = [startForwarder(dev, sink.flags), dev.child];

const client = new Afterword({ secretKey: dev.secretKey, baseUrl: dev.url });
const recordRun = chooseRecorder(process.env);
const pageServer = serve(
  {
    fetch: createDemoServer({ client, dev, sinkName: sink.name, sinkFile, recordRun }).fetch,
    hostname: host,
    port: Number(process.env["PORT"] ?? 0),
  },
  ({ port }) => console.log(`The demo is ready: http://${host}:${port}/  (Ctrl-C ends it)`),
);

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
