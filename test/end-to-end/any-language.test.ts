import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startServer, type RunningServer } from "@afterword/reference-server";
import { serve, type ServerType } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedBrowser } from "./shared-browser.ts";

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

describe("the page's half of the guide", () => {
  const blockOf = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)![1]!;
  const [user, sessionId] = ["user-of-page", "run-of-page"];
  const observationId = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";

  /** Its server mints by the request of the guide, for a run that has an observation. */
  async function chat(): Promise<object> {
    const ids = mint!.replace("user-17", user).replace("run-2041", sessionId);
    const block = ids.replace('"surveyId"', `"observationId": "${observationId}", "surveyId"`);
    const { tokens } = await run<{ tokens: object }>(block);
    return { answer: "Done.", run: { tokens, sessionId, observationId } };
  }

  function aSite(): Promise<ServerType> {
    const root = fileURLToPath(new URL("../../packages/browser/dist/", import.meta.url));
    const rewriteRequestPath = (path: string) => path.slice("/widget".length);
    const html = blockOf("html")
      .replace("https://your.cdn", "/widget")
      .replace("aw_pk_…", env["AFTERWORD_PUBLISHABLE_KEY"]!)
      .replace("https://feedback.example.com", service.url);
    const script = `const [user, question] = [{ id: "${user}" }, "Refund my order"];\n${blockOf("js")}`;
    const app = new Hono()
      .get("/", (context) =>
        context.html(`<!doctype html><title>Shop</title>${html}<script type="module">${script}</script>`),
      )
      .post("/chat", async (context) => context.json(await chat()))
      .use("/widget/*", serveStatic({ root, rewriteRequestPath }));
    return new Promise((resolve) => {
      const site = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, () => resolve(site));
    });
  }

  it("asks about the run that the server has handed over, by its observation", async () => {
    const site = await aSite();
    const page = await (await sharedBrowser()).newPage();
    try {
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      await page.locator('input[value="4"]').check();
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("Thank you").waitFor();
    } finally {
      await page.close();
      site.close();
    }
    const { scores } = await run<{ scores: object[] }>(poll!);
    expect(scores).toEqual([expect.objectContaining({ sessionId, observationId, rating: 4 })]);
  });
});
