import { existsSync, readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startServer, type RunningServer, type ServerConfig, type ServerEvents } from "@afterword/server";
import { readSharedClock } from "./shared-clock.ts";

// One server node as a process of its own, so that it can be killed. Its parent tells it what to be, and may let it be
// something else later: loading the program takes longer than starting the server.

export interface NodeOrder {
  database: string;
  config: ServerConfig;
  /** Of a shared clock; default: the system's. */
  clockFile?: string;
}

/** A process's memory after garbage collection. */
export interface Measures {
  heapInBytes: number;
  /** Of the process, as the system counts it. */
  memoryInBytes: number;
  /** 0 where the system does not tell. */
  openFiles: number;
  /** Timers, listeners and the like that keep the process alive; sockets are counted as files. */
  resources: number;
}

export type NodeReport =
  | { kind: "started"; url: string; projects: RunningServer["projects"] }
  | { kind: "stopped" }
  | ({ kind: "measured" } & Measures)
  | { kind: "failed"; reason: string };

let server: RunningServer | undefined;

/** A node's fault shows in a test as a mere 500: what it was has to be seen. */
const events: ServerEvents = {
  emit(event) {
    if ("error" in event) console.error(event.kind, event.error);
  },
};

async function begin({ database, config, clockFile }: NodeOrder): Promise<NodeReport> {
  const clock = clockFile === undefined ? undefined : readSharedClock(clockFile);
  server = await startServer({ database, config, clock, events });
  return { kind: "started", url: server.url, projects: server.projects };
}

async function end(): Promise<NodeReport> {
  await server?.close();
  server = undefined;
  return { kind: "stopped" };
}

async function measure(): Promise<NodeReport> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Twice: what the first frees may hold what the second does.
  collect();
  collect();
  const { heapUsed: heapInBytes, rss: memoryInBytes } = process.memoryUsage();
  const files = "/proc/self/fd";
  const openFiles = existsSync(files) ? readdirSync(files).length : 0;
  const resources = process.getActiveResourcesInfo().filter((name) => name !== "TCPSocketWrap").length;
  return { kind: "measured", heapInBytes, memoryInBytes, openFiles, resources };
}

function obey(order: NodeOrder | "stop" | "measure"): Promise<NodeReport> {
  if (order === "stop") return end();
  return order === "measure" ? measure() : begin(order);
}

process.on("message", (order: NodeOrder | "stop" | "measure") => {
  void obey(order)
    .catch((error: Error): NodeReport => ({ kind: "failed", reason: error.stack ?? error.message }))
    .then((told) => process.send?.(told));
});
// A node does not outlive the test that started it.
process.on("disconnect", () => process.exit());
