import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "@afterword/reference-server";
import { onTestFinished, vi } from "vitest";
import { freePort } from "../free-port.ts";

const publishableKey = "aw_pk_recipes0123456789abcdefgh";
const secretKey = "aw_sk_recipes0123456789abcdefgh";
const survey = {
  id: "answer",
  slug: "answer",
  type: "csat",
  question: "Did this answer help?",
  presentation: "inline",
  trigger: "manual",
  status: "active",
  askAgain: { eachRun: true },
  unprompted: true,
} as const;

/** One installed example with a service of its own, and what runs for it until the test is over. */
export async function openRecipe(name: string) {
  const cwd = join(process.env["RECIPES_FOLDER"]!, name);
  const service = await startServer({
    config: {
      projects: [
        { id: "p", name: "Recipes", publishableKey, secretKey, allowedOrigins: ["*"], surveys: [survey] },
      ],
    },
  });
  onTestFinished(() => service.close());
  const settings = { key: publishableKey, baseUrl: service.url };
  const env = {
    ...process.env,
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
    AFTERWORD_SECRET_KEY: secretKey,
    AFTERWORD_BASE_URL: service.url,
    VITE_AFTERWORD_KEY: settings.key,
    VITE_AFTERWORD_BASE_URL: settings.baseUrl,
    NEXT_PUBLIC_AFTERWORD_KEY: settings.key,
    NEXT_PUBLIC_AFTERWORD_BASE_URL: settings.baseUrl,
  };

  return {
    freePort,
    /** With the example's own bundler. Rejects with what it printed. */
    async build(more: Record<string, string> = {}) {
      await promisify(execFile)("pnpm", ["run", "build"], { cwd, env: { ...env, ...more } });
    },
    /** Runs a program of the example on a port; resolves to its address once it answers. */
    async start(command: string[], port: number, more: Record<string, string> = {}): Promise<string> {
      const program = spawn("pnpm", ["exec", ...command], {
        cwd,
        env: { ...env, PORT: `${port}`, ...more },
        stdio: "inherit",
        detached: true,
      });
      onTestFinished(() => void process.kill(-program.pid!));
      const url = `http://127.0.0.1:${port}`;
      await vi.waitFor(() => fetch(url), { timeout: 60_000 });
      return url;
    },
    async pendingScores(): Promise<{ sessionId: string; rating: number }[]> {
      const headers = { authorization: `Bearer ${secretKey}` };
      const reply = await fetch(`${service.url}/v1/sdk/pending-scores?limit=10`, { headers });
      return ((await reply.json()) as { scores: { sessionId: string; rating: number }[] }).scores;
    },
  };
}
