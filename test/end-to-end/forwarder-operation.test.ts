import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type RunningServer, startServer } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { langfuseContract } from "../conformance/sink-contracts/langfuse.ts";
import { phoenixContract } from "../conformance/sink-contracts/phoenix.ts";
import { openStage, type SinkStage } from "../conformance/sink-stage.ts";

// The published forwarder as a process, the real service, and servers that play Langfuse and Phoenix.

const program = fileURLToPath(new URL("../../packages/node/dist/cli.js", import.meta.url));
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
if (!hasPromtool) console.warn("skipped: no promtool to check the forwarder's metrics with");

let service: RunningServer;
let client: ApiClient;
let langfuse: SinkStage;
let phoenix: SinkStage;
let forwarder: ReturnType<typeof spawn>;
let admin: string;

beforeAll(async () => {
  service = await startServer({ config: { rateLimits: false, projects: [project("p")] } });
  client = new ApiClient(service.url, keysOf("p"));
  langfuse = await openStage(langfuseContract().play);
  phoenix = await openStage(phoenixContract().play);
  const flags = ["--sink", "langfuse", "phoenix", "--admin-port", "0", "--poll-interval", "50ms"];
  forwarder = spawn(process.execPath, [program, "forward", ...flags, "--stalled-after", "1s"], {
    env: {
      AFTERWORD_SECRET_KEY: client.keys.secretKey,
      AFTERWORD_BASE_URL: service.url,
      LANGFUSE_PUBLIC_KEY: "pk-lf-1",
      LANGFUSE_SECRET_KEY: "sk-lf-hush",
      LANGFUSE_BASE_URL: langfuse.url,
      PHOENIX_BASE_URL: phoenix.url,
      PHOENIX_API_KEY: "phoenix-hush",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface(forwarder.stderr!)) {
    admin = /^health checks and metrics on (\S+)$/.exec(line)?.[1] ?? "";
    if (admin) break;
  }
});

afterAll(async () => {
  if (forwarder.exitCode === null) {
    forwarder.kill("SIGTERM");
    await once(forwarder, "exit");
  }
  await Promise.all([service.close(), langfuse.close(), phoenix.close()]);
});

/** Rates a run in the one session that the played Phoenix knows. */
async function rate(person: string): Promise<void> {
  const showToken = await client.boundToken("p-nps", { respondentId: person, sessionId: "session-1" });
  await client.submit({ showToken, surveyId: "p-nps", rating: 9 });
}

const scrape = async () => (await fetch(`${admin}/metrics`)).text();

/** The value of the sample with this name and these labels, in the order of the page. */
async function sample(name: string, labels: Record<string, string>): Promise<number | undefined> {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const start = `afterword_forwarder_${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} `;
  const line = (await scrape()).split("\n").find((one) => one.startsWith(start));
  return line === undefined ? undefined : Number(line.slice(start.length));
}

/** Waits until each sample has its value: [name, labels, value]. */
async function eventually(...samples: [string, Record<string, string>, number][]): Promise<void> {
  const values = () => Promise.all(samples.map(([name, labels]) => sample(name, labels)));
  await expect.poll(values, { timeout: 30_000 }).toEqual(samples.map(([, , value]) => value));
}

const readiness = async () => (await fetch(`${admin}/readyz`)).status;
const ofLangfuse = { sink: "langfuse" };
const ofPhoenix = { sink: "phoenix" };

describe("the forwarder in operation", () => {
  it("counts per sink what was delivered and how long the calls took", async () => {
    for (const person of ["ann", "bob"]) await rate(person);
    for (const sink of [ofLangfuse, ofPhoenix]) {
      await eventually(["delivered_total", sink, 2], ["pending", sink, 0], ["lag_seconds", sink, 0]);
      expect(await sample("sink_duration_seconds_count", sink)).toBe(2);
    }
    expect(await readiness()).toBe(200);
  });

  it("shows which sink is down and why, and is unready until all ratings are delivered", async () => {
    phoenix.fail({ status: 503 }, ({ method }) => method === "POST");
    await rate("cleo");
    await eventually(
      ["pending", ofLangfuse, 0],
      ["pending", ofPhoenix, 1],
      ["delivered_total", ofLangfuse, 3],
    );
    expect(await sample("sink_errors_total", { ...ofPhoenix, reason: "503" })).toBeGreaterThan(0);
    expect(await sample("retries_total", ofPhoenix)).toBeGreaterThan(0);
    await expect.poll(readiness, { timeout: 10_000 }).toBe(503);
    await expect.poll(() => sample("lag_seconds", ofPhoenix)).toBeGreaterThan(1);
    expect(await sample("lag_seconds", ofLangfuse)).toBe(0);
    phoenix.mend();
    await eventually(["delivered_total", ofPhoenix, 3], ["stalled", {}, 0]);
    expect(await readiness()).toBe(200);
  });

  it("counts what a sink refused for good under the status of its answer", async () => {
    langfuse.fail({ status: 400, body: {} }, ({ method }) => method === "POST");
    await rate("dan");
    const refused = { ...ofLangfuse, reason: "400" };
    await expect.poll(() => sample("failed_total", refused), { timeout: 30_000 }).toBe(1);
    langfuse.mend();
  });

  it.skipIf(!hasPromtool)("gives metrics that promtool finds nothing wrong with", async () => {
    const check = spawnSync("promtool", ["check", "metrics"], { input: await scrape(), encoding: "utf8" });
    // The library names its own metrics of the process.
    const found = (check.stdout + check.stderr).split("\n").filter((line) => line.startsWith("afterword_"));
    expect(found).toEqual([]);
    expect(check.stderr).not.toMatch(/error while linting|parsing/);
  });

  it("ends by SIGTERM although a scraper holds its connection open", async () => {
    await scrape();
    forwarder.kill("SIGTERM");
    expect(await once(forwarder, "exit")).toEqual([0, null]);
  });
});
