#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { onEndOfNpx, onStopSignals } from "@afterword/command-line/stop-signals";
import manifest from "../package.json" with { type: "json" };
import { type ServerConfig } from "./config/server-config.ts";
import { type RunningServer } from "./start.ts";
import { nodeVersionProblem } from "./store/node-version.ts";

const help = `Usage: afterword-reference-server [options]

Starts Afterword's reference server, for tests in any language. Ctrl-C ends it.

  --config FILE  projects, surveys and limits as JSON
  --db FILE      a SQLite file; without it, all data ends with the program
  --host HOST    the address to listen on; 127.0.0.1 by default
  --port NUMBER  the port; 8787 by default, and 0 picks a free one
  --json         print one line of JSON once the server listens
  --version
  --help

Example:
  afterword-reference-server --config afterword.json --port 0 --json

PostgreSQL, backups, metrics and everything else for operation: the program afterword-server of @afterword/server.`;

function fail(lines: readonly string[]): never {
  process.stderr.write(`${lines.join("\n")}\n`);
  process.exit(2);
}

function flagsOf(words: string[]) {
  try {
    return parseArgs({
      args: words,
      options: {
        config: { type: "string" },
        db: { type: "string", default: ":memory:" },
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "8787" },
        json: { type: "boolean", default: false },
        version: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return fail([(error as Error).message, "(add --help for the flags and an example)"]);
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  return fail([`--port ${text}: pass a number from 0 to 65535; 0 picks a free port.`]);
}

function configIn(path: string): ServerConfig {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return fail([`Could not read ${path}: ${(error as Error).message}`]);
  }
}

function explain(error: unknown): string[] {
  if (error instanceof Error && "mistakes" in error) {
    const mistakes = error.mistakes as { path: string; message: string }[];
    return ["Invalid config:", ...mistakes.map(({ path, message }) => `  ${path || "file"}: ${message}`)];
  }
  return [error instanceof Error ? error.message : String(error)];
}

function announce({ url, projects }: RunningServer, isJson: boolean): void {
  if (isJson) return console.log(JSON.stringify({ url, projects }));
  console.log(`Afterword listens on ${url} (reference: ${url}/openapi.yaml)`);
  for (const { id, publishableKey, secretKey } of projects) {
    console.log(`  project ${id}  publishable key ${publishableKey}`);
    if (secretKey) console.log(`    secret key ${secretKey}  (shown only once: save it)`);
  }
}

// Before the server is loaded: on an older Node the database driver ends the process without a message.
const problem = nodeVersionProblem(process.version);
if (problem) fail([problem]);
const { config, db, host, port, json, version, help: isHelp } = flagsOf(process.argv.slice(2));
if (isHelp || version) {
  console.log(isHelp ? help : manifest.version);
} else {
  const { startServer } = await import("./start.ts");
  const options = { config: config === undefined ? undefined : configIn(config), database: db, host };
  const server = await startServer({ ...options, port: portOf(port) }).catch((error) => fail(explain(error)));
  const end = () => void server.close().then(() => process.exit(0));
  onStopSignals(["SIGINT", "SIGTERM"], end);
  onEndOfNpx("afterword-reference-server", end);
  announce(server, json);
}
