import { Afterword, AfterwordRespondent } from "@afterword/node";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as engine from "./docker.ts";

// The example as it stands, by Docker Compose: PostgreSQL, three nodes of the built image, and the proxy.

const { docker, eventually, repository } = engine;
const files = ["reference-server/compose.yaml", "reference-server/compose-config.json", "examples/compose"];
const up = ["up", "--detach", "--wait", "--no-build", "--pull", "never"];
let folder: string;
let keys: { baseUrl: string; publishableKey: string; secretKey: string; maxRetries: number };
let backend: Afterword;

const compose = (...words: string[]) =>
  docker("compose", "--file", join(folder, "examples/compose/compose.yaml"), ...words);

beforeAll(async () => {
  if (!engine.hasEngine) return;
  folder = mkdtempSync(join(tmpdir(), "afterword-compose-image-"));
  for (const folderName of ["examples/compose", "reference-server"])
    mkdirSync(join(folder, folderName), { recursive: true });
  for (const file of files) cpSync(join(repository, file), join(folder, file), { recursive: true });
  writeFileSync(join(folder, "reference-server/master.key"), "5a".repeat(32), { mode: 0o644 });
  const port = await engine.freePort();
  vi.stubEnv("PROXY_PORT", String(port));
  await compose(...up);
  const made = execFileSync("sh", [join(folder, "examples/compose/setup.sh")], { encoding: "utf8" });
  // Until the proxy has noticed that a node was killed, which takes up to four seconds, it answers some with 502.
  keys = { ...JSON.parse(made), baseUrl: `http://127.0.0.1:${port}`, maxRetries: 8 };
  backend = new Afterword(keys);
}, 120_000);

afterAll(async () => {
  if (!engine.hasEngine) return;
  await compose("down", "--volumes");
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
}, 60_000);

/** Mints for a person who has never been asked, and answers as their page would; gives the id of the answer. */
async function rateOnce(): Promise<string> {
  const person = randomUUID();
  const { tokens } = await backend.mint({ respondentId: person, sessionId: `session-of-${person}` });
  const page = new AfterwordRespondent({ ...keys, userId: person });
  page.install({
    surveyId: "satisfaction",
    token: tokens["satisfaction"]!,
    sessionId: `session-of-${person}`,
  });
  return (await (await page.nextAsk())!.submit({ rating: 4 })).id!;
}

/** Answers, four people at once, until something has happened and as many have answered as are wanted. */
async function answersDuring(happening: Promise<unknown>, wanted: number): Promise<string[]> {
  const over = new AbortController();
  const ids: string[] = [];
  const answerOn = async () => {
    while (!over.signal.aborted || ids.length < wanted) ids.push(await rateOnce());
  };
  const happened = happening.finally(() => over.abort());
  await Promise.all([happened, answerOn(), answerOn(), answerOn(), answerOn()]);
  return ids;
}

async function listed(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of backend.pendingScores()) ids.push(id);
  return ids.sort();
}

describe.skipIf(!engine.hasEngine)("the compose example, run", () => {
  it("has a healthy PostgreSQL and three healthy nodes behind its proxy, which soon know a new project", async () => {
    const lines = (await compose("ps", "--format", "{{.Service}} {{.State}} {{.Health}}")).split("\n");
    expect(lines.map((line) => line.trim()).sort()).toEqual([
      "database running healthy",
      ...[1, 2, 3].map((node) => `node-${node} running healthy`),
      "proxy running",
    ]);
    await eventually("every node knows of the project", async () => {
      for (let count = 0; count < 6; count++) await rateOnce();
      return true;
    });
    await backend.ack((await listed()).map((id) => ({ id, state: "delivered" })));
  });

  it("loses no answer and stores none twice while a node is stopped and another is killed", async () => {
    const ids = await answersDuring(compose("stop", "node-2"), 20);
    expect(await compose("ps", "--all", "--format", "{{.ExitCode}}", "node-2")).toBe("0");
    ids.push(...(await answersDuring(compose("kill", "node-3"), 20)));
    expect(await listed()).toEqual(ids.sort());
    await backend.ack(ids.map((id) => ({ id, state: "delivered" })));
    expect(await listed()).toEqual([]);
  });

  it("takes stopped nodes back into the round", async () => {
    await compose(...up);
    const id = (await answersDuring(compose("stop", "node-1"), 1))[0];
    expect(await listed()).toContain(id);
  });
});
