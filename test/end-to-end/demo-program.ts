import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../examples/demo/main.ts", import.meta.url));

/** A score as the demo's sink file holds it. */
export interface StoredScore {
  id: string;
  surveyId: string;
  sessionId: string;
  rating: number;
  text: string | null;
}

/** Starts the very program that `demo` starts; everything it prints is kept. */
export async function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), "afterword-story-"));
  const file = join(folder, "scores.jsonl");
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, AFTERWORD_DEMO_SCORES: file, PORT: "0" },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on("line", (line) => output.push(line));
  const exit = once(child, "exit") as Promise<[number | null]>;
  const url = await Promise.race([firstUrl(child.stdout), exit.then(([code]) => `exit code ${code}`)]);
  if (!url.startsWith("http")) throw new Error(`The demo did not start (${url}):\n${output.join("\n")}`);
  return {
    url,
    output,
    scores: (): StoredScore[] => (existsSync(file) ? readLines(file) : []),
    async stop(): Promise<number | null> {
      child.kill("SIGINT");
      const [code] = await exit;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

async function firstUrl(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stdout)) {
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url) return url;
  }
  return "its output ended";
}

const readLines = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as StoredScore);
