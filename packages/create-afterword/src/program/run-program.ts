import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { runCreate } from "../run-create.ts";

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupted.abort());

process.exitCode = await runCreate(process.argv.slice(2), {
  environment: process.env,
  // Throws in a folder that was removed, which is then a problem to report.
  get folder() {
    return process.cwd();
  },
  templates: join(import.meta.dirname, "templates"),
  version: manifest.version,
  fetch,
  terminal: process.stdin.isTTY && process.stdout.isTTY ? {} : undefined,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  interrupted: interrupted.signal,
});
