import { join } from "node:path";
import { onStopSignals } from "@afterword/command-line/stop-signals";
import manifest from "../../package.json" with { type: "json" };
import { Programs } from "../child.ts";
import { runCreate } from "../run-create.ts";

const interrupted = new AbortController();
const programs = new Programs(interrupted.signal);
const stop = () => interrupted.abort();
onStopSignals(["SIGINT", "SIGTERM", "SIGHUP"], stop, () => void programs.end("SIGKILL"));

process.exitCode = await runCreate(process.argv.slice(2), {
  environment: process.env,
  // Throws in a folder that was removed, which is then a problem to report.
  get folder() {
    return process.cwd();
  },
  templates: join(import.meta.dirname, "templates"),
  version: manifest.version,
  fetch,
  terminal: process.stdin.isTTY && process.stdout.isTTY ? { signal: interrupted.signal } : undefined,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  interrupted: interrupted.signal,
  programs,
});
