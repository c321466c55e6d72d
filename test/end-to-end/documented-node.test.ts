import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Afterword } from "@afterword/node";
import { jsonl } from "@afterword/node/forwarder";
import { parseConfig, startServer, type RunningServer, type SurveyConfig } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { askByMail } from "../documented/ask-link.ts";
import { startShop } from "../documented/in-memory-server.ts";
import { mintForFailedRun } from "../documented/run-facts.ts";
import { askPerson } from "../documented/terminal.ts";

const look = { presentation: "corner", trigger: "auto", status: "active" } as const;
const survey = (id: string): SurveyConfig => ({
  id,
  slug: id,
  type: "csat",
  question: "How was it?",
  ...look,
});
const surveys = [survey("report"), survey("task-done")];

let service: RunningServer;
let client: Afterword;

beforeAll(async () => {
  const projects = [{ id: "p", name: "P", allowedOrigins: ["*"], surveys }];
  service = await startServer({ config: { projects, rateLimits: false } });
  const { secretKey = "", publishableKey } = service.projects[0]!;
  vi.stubEnv("AFTERWORD_BASE_URL", service.url);
  vi.stubEnv("AFTERWORD_SECRET_KEY", secretKey);
  vi.stubEnv("AFTERWORD_PUBLISHABLE_KEY", publishableKey);
  client = new Afterword();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await service.close();
});

async function pendingOf(sessionId: string) {
  for await (const row of client.pendingScores()) if (row.sessionId === sessionId) return row;
}

/** A rating of the survey `report`, as a page sends it. */
async function rate(respondentId: string, sessionId: string): Promise<void> {
  const { tokens } = await client.mint({ respondentId, sessionId, surveyId: "report" });
  const { publishableKey: key } = service.projects[0]!;
  const body = JSON.stringify({
    key,
    showToken: tokens["report"],
    surveyId: "report",
    rating: 2,
    text: "slow",
  });
  const reply = await fetch(`${service.url}/v1/sdk/responses`, { method: "POST", body });
  expect(reply.status).toBe(201);
}

describe("a file that the pages for servers show", () => {
  it("asks by a link in an e-mail, once", async () => {
    const mails: string[] = [];
    const report = { id: "report-1", userId: "ada", email: "ada@example.com" };
    const sendMail = async (to: string, text: string) => void mails.push(`${to}: ${text}`);
    await askByMail(client, report, sendMail);
    expect(mails).toEqual([
      expect.stringMatching(/^ada@example\.com: How did we do\? https:\/\/example\.com\/ask\/#.*st2\./),
    ]);
    await rate("ada", "another");
    await askByMail(client, { ...report, id: "report-2" }, sendMail);
    expect(mails).toHaveLength(1);
  });

  it("mints with a version and facts of the run", async () => {
    expect((await mintForFailedRun(client)).tokens["report"]).toMatch(/^st2\./);
  });

  it("mints for one survey of a conversation", async () => {
    const { tokensFor } = await import("../documented/mint.ts");
    const { tokens, gated } = await tokensFor("grace", "conversation-1");
    expect([Object.keys(tokens), gated]).toEqual([["task-done"], false]);
  });

  it("asks in a terminal", async () => {
    const input = new PassThrough();
    input.end("5\n\n");
    const asked = await askPerson("terminal-person", input);
    expect(asked?.outcome).toBe("answered");
  });

  it("prints and erases what a person has answered, at a sink too", async () => {
    const { erase, eraseEverywhere, printAnswers } = await import("../documented/erase.ts");
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const printed = async (id: string) => {
      log.mockClear();
      await printAnswers(id);
      return log.mock.calls.length;
    };
    await rate("erased", "erased-1");
    expect(await printed("erased")).toBe(1);
    await erase("erased");
    expect(await printed("erased")).toBe(0);

    const folder = mkdtempSync(join(tmpdir(), "afterword-documented-"));
    const path = join(folder, "scores.jsonl");
    await rate("everywhere", "everywhere-1");
    const sink = jsonl({ path });
    const { createForwarder } = await import("@afterword/node/forwarder");
    await createForwarder({ client, sink }).runOnce();
    expect(readFileSync(path, "utf8")).toContain("everywhere-1");
    await eraseEverywhere("everywhere", [sink], 0);
    expect(readFileSync(path, "utf8")).not.toContain("everywhere-1");
    expect(await pendingOf("everywhere-1")).toBeUndefined();
    log.mockRestore();
    rmSync(folder, { recursive: true });
  });

  it("starts a server in memory with responses in its queue", async () => {
    await using shop = await startShop();
    const { secretKey } = shop.projects[0]!;
    const rows = [];
    for await (const row of new Afterword({ baseUrl: shop.url, secretKey }).pendingScores()) rows.push(row);
    expect(rows).toHaveLength(200);
  });
});

describe("docs/reference/surveys.md", () => {
  it("shows a sampling that the config file accepts", () => {
    const page = readFileSync(new URL("../../docs/reference/surveys.md", import.meta.url), "utf8");
    const { sampling } = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)![1]!) as Pick<
      SurveyConfig,
      "sampling"
    >;
    const project = { id: "p", name: "P", allowedOrigins: [], surveys: [{ ...surveys[0]!, sampling }] };
    expect(parseConfig({ projects: [project] }).projects[0]!.surveys[0]!.sampling).toEqual(sampling);
  });
});
