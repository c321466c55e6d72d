import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startExample } from "./example-program.ts";

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
  const demo = await startExample("demo", { AFTERWORD_DEMO_SCORES: file });
  return {
    ...demo,
    scores: (): StoredScore[] => (existsSync(file) ? readLines(file) : []),
    async stop(): Promise<number | null> {
      const code = await demo.stop("SIGINT");
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

const readLines = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as StoredScore);
