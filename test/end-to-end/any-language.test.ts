import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { startServer, type RunningServer } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const guide = readFileSync(new URL("../../packages/protocol/from-any-language.md", import.meta.url), "utf8");
const [mint, rate, poll, acknowledge, ...more] = [...guide.matchAll(/```sh\n(curl[^`]*)```/g)].map(
  ([, block]) => block!,
);

let service: RunningServer;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  const survey = { type: "csat", presentation: "corner", trigger: "auto", status: "active" } as const;
  const surveys = [{ id: "csat", slug: "csat", question: "How well did the agent do?", ...survey }];
  const projects = [{ id: "p", name: "P", allowedOrigins: ["*"], surveys }];
  service = await startServer({ config: { projects, rateLimits: false } });
  const { secretKey, publishableKey } = service.projects[0]!;
  env = {
    ...process.env,
    AFTERWORD_BASE_URL: service.url,
    AFTERWORD_SECRET_KEY: secretKey,
    AFTERWORD_PUBLISHABLE_KEY: publishableKey,
  };
});
afterAll(() => service.close());

async function run<Reply>(block: string, variables: NodeJS.ProcessEnv = {}): Promise<Reply> {
  const { stdout } = await promisify(execFile)("bash", ["-c", block], { env: { ...env, ...variables } });
  return JSON.parse(stdout) as Reply;
}

describe("the requests of the guide for any language", () => {
  it("take one rating from the mint to its acknowledgement", async () => {
    const { tokens } = await run<{ tokens: { csat: string } }>(mint!);
    const SHOW_TOKEN = tokens.csat;
    const stored = await run<{ ok: true; id: string }>(rate!, { SHOW_TOKEN });
    expect(stored.ok).toBe(true);
    await expect(run(rate!, { SHOW_TOKEN })).rejects.toMatchObject({
      stdout: expect.stringContaining('"status":409'),
    });
    const { scores } = await run<{ scores: object[] }>(poll!);
    const score = { id: stored.id, sessionId: "run-2041", rating: 5, taskType: "refund" };
    expect(scores).toEqual([expect.objectContaining(score)]);
    await expect(run(acknowledge!, { SCORE_ID: stored.id })).resolves.toEqual({ ok: true, updated: 1 });
    await expect(run(poll!)).resolves.toEqual({ scores: [] });
    await expect(run(mint!)).resolves.toMatchObject({ tokens: {}, suppression: ["csat"] });
  });

  it("are four, and none for a page holds the secret key", () => {
    expect(more).toEqual([]);
    expect(rate).not.toContain("SECRET");
  });
});
