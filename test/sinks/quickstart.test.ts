import { type RunningServer, startServer } from "@afterword/server";
import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PhoenixServer } from "./phoenix-server.ts";
import { realServer } from "./real-server.ts";

const phoenixUrl = realServer("Phoenix", "PHOENIX_BASE_URL");
const packageFolder = fileURLToPath(new URL("../../packages/node", import.meta.url));
const readme = readFileSync(join(packageFolder, "README.md"), "utf8");
const run = promisify(execFile);

/** The commands under the heading of the five-minute path, as they are printed. */
const commands =
  /## From `npm i` to a score in Phoenix\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";

/** Puts in what a reader puts in; a placeholder that the README has no more is a fault of this test. */
function filledIn(values: Record<string, string>): string {
  return Object.entries(values).reduce((script, [placeholder, value]) => {
    if (!script.includes(placeholder)) throw new Error(`The README's commands no longer have ${placeholder}`);
    return script.replaceAll(placeholder, value);
  }, commands);
}

describe.skipIf(phoenixUrl === undefined)("the five-minute path of the node package's README", () => {
  let folder: string;
  let service: RunningServer;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "afterword-quickstart-"));
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    const survey = { type: "csat", presentation: "inline", trigger: "manual", status: "active" } as const;
    const surveys = [{ id: "csat", slug: "csat", question: "How well did the agent do?", ...survey }];
    service = await startServer({
      config: { projects: [{ id: "p", name: "P", allowedOrigins: [], surveys }] },
    });
  });
  afterEach(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  /** What `npm i` would bring from the registry: the built package, packed. */
  async function pack(): Promise<string> {
    const packing = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
      cwd: packageFolder,
    });
    return join(folder, /"filename": "([^"]+)"/.exec(packing.stdout)![1]!);
  }

  /** Runs the commands as one script, whose only input is the person's answer. */
  async function walk(script: string, answer: string): Promise<string> {
    const { npm_config_user_agent: _, AFTERWORD_BASE_URL: __, PHOENIX_BASE_URL: ___, ...env } = process.env;
    const walking = run("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env });
    walking.child.stdin!.end(answer);
    const { stdout, stderr } = await walking;
    return stdout + stderr;
  }

  it("leads from npm i to a rating at its session in a real Phoenix, with an empty queue behind it", async () => {
    const phoenix = new PhoenixServer(phoenixUrl ?? "");
    const sessionId = `session-${randomUUID()}`;
    const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
    await phoenix.record({ sessionId, traceId, spanId });
    const { secretKey = "", publishableKey } = service.projects[0]!;
    const script = filledIn({
      "npm i @afterword/node": `npm i --no-audit --no-fund ${await pack()}`,
      "https://feedback.example.com": service.url,
      "aw_sk_…": secretKey,
      "aw_pk_…": publishableKey,
      "my-session": sessionId,
      "http://localhost:6006": phoenixUrl!,
    });

    const told = await walk(script, "5\n");

    expect(told).toContain("the key is accepted");
    expect(told).toContain("How well did the agent do?");
    expect(told).toContain("delivered 1, failed 0, retried 0");
    expect(told).not.toMatch(/^(warning|failed) /m);
    expect(await phoenix.annotations("session", sessionId)).toMatchObject([
      {
        name: expect.stringMatching(/^afterword\./),
        result: { score: 5, label: "satisfied", explanation: null },
      },
    ]);
  });
});
