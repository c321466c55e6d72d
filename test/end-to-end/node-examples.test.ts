import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Afterword, AfterwordRespondent, type PendingScore } from "@afterword/node";
import { startServer, type RunningServer } from "@afterword/reference-server";
import { serve, type ServerType } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono, type Context } from "hono";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { sharedBrowser } from "./shared-browser.ts";

const at = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

let service: RunningServer;
let keys: { AFTERWORD_SECRET_KEY: string; AFTERWORD_PUBLISHABLE_KEY: string; AFTERWORD_BASE_URL: string };
let sink: Server;
/** Annotations as Phoenix takes them. */
let annotations: { session_id?: string; identifier?: string; result?: { score?: number } }[] = [];
/** Messages as a chat takes them. */
let messages: { text?: string }[] = [];
let children: ChildProcess[] = [];

beforeAll(async () => {
  const survey = { type: "csat", presentation: "corner", trigger: "auto", status: "active" } as const;
  const translations = { de: { question: "Wie gut war der Agent?" } };
  const surveys = [
    { id: "task-done", slug: "task-done", question: "How well did the agent do?", translations, ...survey },
  ];
  service = await startServer({
    config: { projects: [{ id: "p", name: "P", allowedOrigins: ["*"], surveys }], rateLimits: false },
  });
  const { secretKey = "", publishableKey } = service.projects[0]!;
  keys = {
    AFTERWORD_SECRET_KEY: secretKey,
    AFTERWORD_PUBLISHABLE_KEY: publishableKey,
    AFTERWORD_BASE_URL: service.url,
  };
  sink = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        data: typeof annotations;
        text?: string;
      };
      if (request.url === "/chat") {
        messages.push(body);
        response.end();
        return;
      }
      const { data } = body;
      annotations.push(...data);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: data.map((_, index) => ({ id: `annotation-${index}` })) }));
    });
  });
  sink.listen(0, "127.0.0.1");
  await once(sink, "listening");
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
  sink.closeAllConnections();
  sink.close();
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

const phoenixUrl = () => ({ PHOENIX_BASE_URL: `http://127.0.0.1:${(sink.address() as AddressInfo).port}` });

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

describe.each(["express.ts", "fastify.ts", "hono.ts"])("examples/mint-after-task/%s", (file) => {
  it("mints a token only for the page of a visitor with a finished task", async () => {
    const child = start(`mint-after-task/${file}`);
    const [url] = (await once(createInterface(child.stdout!), "line")) as [string];
    const headers = { "x-person": `person-${file}`, "sec-fetch-site": "same-origin" };
    const feedback = (more: Record<string, string> = {}) =>
      fetch(`${url}/feedback`, { method: "POST", headers: { ...headers, ...more } });
    expect((await feedback()).status).toBe(401);
    const task = {
      method: "POST",
      headers: { ...headers, "content-type": "text/plain" },
      body: "Count these words",
    };
    expect(await (await fetch(`${url}/task`, task)).text()).toBe("3 words, all of them read.");
    const reply = await feedback();
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(await reply.json()).toEqual({
      tokens: { "task-done": expect.stringMatching(/^st2\./) },
      gated: false,
      sessionId: expect.stringMatching(/^run-/),
      taskType: "count",
    });
    expect((await feedback({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await fetch(`${url}/feedback`, { headers })).status).toBe(405);
  });
});

describe("examples/mint-after-task/next-route.ts", () => {
  it("exports a POST that mints a token only for a visitor with a finished task", async () => {
    for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
    const route = (await import(at("mint-after-task/next-route.ts"))) as {
      POST: (request: Request) => Promise<Response>;
    };
    const { runTask } = (await import(at("mint-after-task/run-task.ts"))) as {
      runTask: (person: string, question: string) => Promise<string>;
    };
    vi.unstubAllEnvs();
    const feedback = (site = "same-origin") =>
      route.POST(
        new Request("https://app.example.com/feedback", {
          method: "POST",
          headers: { "x-person": "person-next", "sec-fetch-site": site },
        }),
      );
    expect((await feedback()).status).toBe(401);
    await runTask("person-next", "Count these words");
    expect(await (await feedback()).json()).toMatchObject({
      tokens: { "task-done": expect.stringMatching(/^st2\./) },
      sessionId: expect.stringMatching(/^run-/),
    });
    expect((await feedback("cross-site")).status).toBe(403);
  });
});

describe("examples/mint-after-task/index.html", () => {
  it("asks after the task and not before, about the session that the server attested", async () => {
    const child = start("mint-after-task/hono.ts");
    const [url] = (await once(createInterface(child.stdout!), "line")) as [string];
    const site = aSite(url, { "x-person": "person-page" });
    await once(site, "listening");
    const page = await (await sharedBrowser()).newPage();
    try {
      await page.addInitScript(() => {
        const events: string[] = ((globalThis as { events?: string[] }).events = []);
        document.addEventListener("afterword:shown", () => events.push("shown"));
        document.addEventListener("afterword:notShown", (event) =>
          events.push((event as CustomEvent<{ reason: string }>).detail.reason),
        );
      });
      const events = () => page.evaluate(() => (globalThis as { events?: string[] }).events);
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      await expect.poll(events).toContain("unlinked");
      await page.getByRole("button", { name: "Count" }).click();
      await page.getByText("3 words, all of them read.").waitFor();
      await page.locator('input[value="5"]').check();
      expect((await events())!.filter((event) => event === "shown")).toHaveLength(1);
      expect((await events())![0]).toBe("unlinked");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("Thank you").waitFor();
    } finally {
      await page.close();
      site.close();
    }
    const client = aClient();
    const [row] = await waitingRows(client);
    expect(row).toMatchObject({ rating: 5, taskType: "count", sessionId: expect.stringMatching(/^run-/) });
    await client.ack([{ id: row!.id, state: "delivered" }]);
  });

  /** The page of a shop whose server is the example; the header stands for a session cookie. */
  function aSite(exampleUrl: string, person: Record<string, string>): ServerType {
    const widget = at("../packages/browser/dist/");
    const html = readFileSync(at("mint-after-task/index.html"), "utf8")
      .replace("{{key}}", keys.AFTERWORD_PUBLISHABLE_KEY)
      .replace("{{baseUrl}}", service.url);
    const passOn = async ({ req }: Context) =>
      fetch(`${exampleUrl}${req.path}`, {
        method: "POST",
        headers: { ...req.header(), ...person },
        body: await req.text(),
      });
    const app = new Hono()
      .get("/", (context) => context.html(html))
      .get("/page.js", (context) =>
        context.body(readFileSync(at("mint-after-task/page.js")), 200, { "content-type": "text/javascript" }),
      )
      .post("/task", passOn)
      .post("/feedback", passOn)
      .use(
        "/afterword/*",
        serveStatic({ root: widget, rewriteRequestPath: (path) => path.slice("/afterword".length) }),
      );
    return serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  }
});

describe("examples/forwarder", () => {
  it("forwards with the one command of the README", async () => {
    const { id, sessionId } = await rateOnce(3);
    const env = { ...process.env, ...keys, ...phoenixUrl() };
    // npx starts the program as a grandchild: a group of their own ends together.
    const shell = spawn("sh", ["forward.sh"], { cwd: at("forwarder"), env, detached: true, stdio: "ignore" });
    const ended = once(shell, "exit");
    try {
      await expect
        .poll(() => annotations, { timeout: 20_000 })
        .toEqual([expect.objectContaining({ session_id: sessionId, identifier: id })]);
    } finally {
      process.kill(-shell.pid!, "SIGTERM");
      await ended;
    }
  });

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
    const chatUrl = `${phoenixUrl().PHOENIX_BASE_URL}/chat`;
    start("forwarder/own-sink.ts", { CHAT_URL: chatUrl });
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
  it("asks in the language of the system", async () => {
    expect(await runInTerminal({ LC_ALL: "de_DE.UTF-8" })).toContain("Wie gut war der Agent?");
  });

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

describe("the node package's examples", () => {
  it.each([
    "mint-after-task/express.ts",
    "mint-after-task/fastify.ts",
    "mint-after-task/hono.ts",
    "mint-after-task/next-route.ts",
    "forwarder/main.ts",
    "forwarder/own-sink.ts",
    "forwarder-queue/main.ts",
    "terminal-agent/main.ts",
  ])("%s has at most 60 lines", (path) => {
    expect(readFileSync(at(path), "utf8").split("\n").length - 1).toBeLessThanOrEqual(60);
  });
});
