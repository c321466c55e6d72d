import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cpuSeconds } from "./process-cpu.ts";

/** What a server prints once it listens. */
export interface Ready {
  url: string;
  projects: { id: string; publishableKey: string; secretKey?: string }[];
}

export interface ChildServer {
  ready: Ready;
  process: ChildProcess;
  /** Processor time that it has used so far, in seconds; what other programs do does not change it. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The server gets one core to itself, and the load comes from another, where the system lets us say so. */
const canPin = spawnSync("taskset", ["-c", "0", "true"]).status === 0;

/** The command on the server's core. */
export const pinned = (command: string[]): string[] =>
  canPin ? ["taskset", "-c", "0", ...command] : command;

async function start(script: string, parameters: string[], flags: string[] = []): Promise<ChildServer> {
  const [command, ...rest] = pinned([process.execPath, ...flags, script, ...parameters]);
  const child = spawn(command!, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout!), "line")) as [string];
  const stop = async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  return {
    ready: JSON.parse(line) as Ready,
    process: child,
    cpuSeconds: () => cpuSeconds(child.pid!),
    stop,
  };
}

export const startEcho = (reply: unknown) => start(at("test/bench/echo-server.ts"), [JSON.stringify(reply)]);
export const startBareCommit = (database: string) => start(at("test/bench/commit-server.ts"), [database]);
export const startSingleCommit = (config: string, database: string) =>
  start(at("test/bench/single-commit-server.ts"), [config, database]);
export const startQueue = (rows: number) => start(at("test/bench/forwarder-queue-server.ts"), [String(rows)]);
export const startLangfuse = (fault: string) => start(at("test/bench/langfuse-stub.ts"), [fault]);
export const startBuiltServer = (
  config: string,
  database: string,
  flags: string[] = [],
  settings: string[] = [],
) =>
  start(
    at("packages/server/dist/cli.js"),
    [
      "serve",
      "--config",
      config,
      "--db",
      database,
      "--host",
      "127.0.0.1",
      "--port",
      "0",
      "--json",
      ...settings,
    ],
    flags,
  );
