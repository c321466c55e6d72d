import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Afterword, AfterwordRespondent, type PendingScore } from "@afterword/node";
import { startServer, type RunningServer } from "@afterword/reference-server";
import { getRequestListener } from "@hono/node-server";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";

const at = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

let service: RunningServer;
let keys: { AFTERWORD_SECRET_KEY: string; AFTERWORD_PUBLISHABLE_KEY: string; AFTERWORD_BASE_URL: string };
let sink: Awaited<ReturnType<typeof serveLocally>>;
/** Annotations as Phoenix takes them. */
let annotations: { session_id?: string; identifier?: string; result?: { score?: number } }[] = [];
/** Messages as a chat takes them. */
let messages: { text?: string }[] = [];
let children: ChildProcess[] = [];

beforeAll(async () => {
  const survey = { type: "csat", presentation: "corner", trigger: "auto", status: "active" } as const;
  const surveys = [{ id: "task-done", slug: "task-done", question: "How well did the agent do?", ...survey }];
  service = await startServer({
    config: { projects: [{ id: "p", name: "P", allowedOrigins: ["*"], surveys }], rateLimits: false },
  });
  const { secretKey = "", publishableKey } = service.projects[0]!;
  keys = {
    AFTERWORD_SECRET_KEY: secretKey,
    AFTERWORD_PUBLISHABLE_KEY: publishableKey,
    AFTERWORD_BASE_URL: service.url,
  };
  sink = await serveLocally(async (request, response) => {
    const body = (await json(request)) as { data: typeof annotations; text?: string };
    if (request.url === "/chat") {
      messages.push(body);
      return response.end();
    }
    const { data } = body;
    annotations.push(...data);
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ data: data.map((_, index) => ({ id: `annotation-${index}` })) }));
  });
});

afterEach(async () => {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const ended = running.map((child) => once(child, "exit"));
  for (const child of running) child.kill("SIGTERM");
  await Promise.all(ended);
  children = [];
  annotations = [];
  messages = [];
});

afterAll(async () => {
  await sink.close();
  await service.close();
});

function start(path: string, environment: Record<string, string> = {}, args: string[] = []): ChildProcess {
  const child = spawn(process.execPath, [at(path), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...keys, PORT: "0", ...environment },
  });
  children.push(child);
  return child;
}

const phoenixUrl = () => ({ PHOENIX_BASE_URL: sink.url });

const aClient = () => new Afterword({ secretKey: keys.AFTERWORD_SECRET_KEY, baseUrl: service.url });

async function waitingRows(client: Afterword): Promise<PendingScore[]> {
  const rows = [];
  for await (const row of client.pendingScores()) rows.push(row);
  return rows;
}

/** One linked rating in the queue; gives its id and its session. */
async function rateOnce(rating: number): Promise<{ id: string; sessionId: string }> {
  const [userId, sessionId] = [`person-${crypto.randomUUID()}`, `session-${crypto.randomUUID()}`];
  const { tokens } = await aClient().mint({ respondentId: userId, sessionId, surveyId: "task-done" });
  const { AFTERWORD_PUBLISHABLE_KEY: publishableKey } = keys;
  const person = new AfterwordRespondent({ publishableKey, baseUrl: service.url, userId });
  person.install({ surveyId: "task-done", token: tokens["task-done"]!, sessionId });
  const { id } = await (await person.nextAsk())!.submit({ rating });
  return { id: id!, sessionId };
}

describe("examples/mint-after-task/main.ts", () => {
  it("mints in each framework a token only for the page of a visitor with a finished task", async () => {
    for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
    const { express, fastify, finished, hono, POST } = await import("../../examples/mint-after-task/main.ts");
    vi.unstubAllEnvs();
    await fastify.ready();
    const standard = [hono.fetch, POST].map((fetch) => getRequestListener(fetch));
    for (const answer of [...standard, express, fastify.routing]) {
      await using server = await serveLocally(answer);
      const { port } = new URL(server.url);
      const headers = { "x-person": `person-${port}`, "sec-fetch-site": "same-origin" };
      const feedback = (more: object = {}, method = "POST") =>
        fetch(`${server.url}/feedback`, { method, headers: { ...headers, ...more } });
      expect((await feedback()).status).toBe(401);
      const run = { sessionId: `run-${port}`, taskType: "count" };
      finished.set(`person-${port}`, { respondentId: `person-${port}`, ...run });
      const reply = await feedback();
      expect(reply.headers.get("cache-control")).toBe("no-store");
      const tokens = { "task-done": expect.stringMatching(/^st2\./) };
      expect(await reply.json()).toEqual({ tokens, gated: false, ...run });
      expect((await feedback({ "sec-fetch-site": "cross-site" })).status).toBe(403);
      expect((await feedback({}, "GET")).status).toBe(405);
    }
  });
});

describe("examples/forwarder", () => {
  it("pushes a rating to Phoenix and acknowledges it", async () => {
    const { id, sessionId } = await rateOnce(4);
    const child = start("forwarder/main.ts", phoenixUrl());
    await expect
      .poll(() => annotations, { timeout: 20_000 })
      .toEqual([expect.objectContaining({ session_id: sessionId, identifier: id })]);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
  });
});

describe("examples/forwarder/own-sink.ts", () => {
  it("posts a bad rating to a chat, and no good one, and acknowledges both", async () => {
    const good = await rateOnce(5);
    const bad = await rateOnce(1);
    start("forwarder/own-sink.ts", { CHAT_URL: `${sink.url}/chat` });
    await expect
      .poll(() => messages, { timeout: 20_000 })
      .toEqual([{ text: `Rated 1: session ${bad.sessionId}` }]);
    const waiting = async () => (await waitingRows(aClient())).map(({ id }) => id);
    await expect.poll(waiting, { timeout: 20_000 }).not.toContain(bad.id);
    await expect.poll(waiting, { timeout: 20_000 }).not.toContain(good.id);
  });
});

describe("examples/forwarder-queue", () => {
  it("drains the queue as a job of pg-boss", async () => {
    const { id, sessionId } = await rateOnce(5);
    start("forwarder-queue/main.ts", { ...phoenixUrl(), DATABASE_URL: inject("postgresUrl") });
    await expect
      .poll(() => annotations, { timeout: 45_000 })
      .toEqual([expect.objectContaining({ session_id: sessionId, identifier: id })]);
  });
});

/** Lets the agent add and the person answer with 5; gives what they see. */
async function runInTerminal(variables: Record<string, string>): Promise<string> {
  const child = start("terminal-agent/main.ts", variables, ["2 + 3 + 4"]);
  child.stdin!.end("5\n");
  let output = "";
  child.stdout!.on("data", (chunk) => void (output += String(chunk)));
  await once(child, "exit");
  return output;
}

describe("examples/terminal-agent", () => {
  it("does its task, asks in the terminal, and stores a linked answer", async () => {
    const output = await runInTerminal({ LC_ALL: "en_GB.UTF-8" });
    expect(output).toMatch(/^9\n/);
    expect(output).toContain("How well did the agent do?");
    expect(output).toMatch(/answered\n$/);
    expect(await waitingRows(aClient())).toContainEqual(
      expect.objectContaining({ rating: 5, taskType: "sum" }),
    );
  });
});
