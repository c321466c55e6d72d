#!/usr/bin/env node
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { runCreate } from "./run-create.ts";

// The apps run TypeScript as it is, which older versions cannot.
const oldest = [22, 18] as const;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(
    `create-afterword needs Node ${oldest.join(".")} or newer, and this is ${process.version}.\n`,
  );
  process.exit(2);
}

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupted.abort());

process.exitCode = await runCreate(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  templates: join(import.meta.dirname, "templates"),
  version: manifest.version,
  fetch,
  terminal: process.stdin.isTTY && process.stdout.isTTY ? {} : undefined,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  interrupted: interrupted.signal,
});
