import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { Afterword, AfterwordRespondent, type Logger } from "@afterword/node";
import { ApiClient } from "@afterword/conformance";
import { startServer } from "@afterword/reference-server";
import { afterEach, describe, expect, it } from "vitest";
import { canaries, leaksIn } from "../canaries.ts";
import { project } from "../conformance/api/projects.ts";
import { isFullProof } from "../faults/proof-scale.ts";
import { openStage, type Fault, type SinkStage, type StageRequest } from "../conformance/sink-stage.ts";

// Services and sinks that repeat all that they are sent, as gateways and pages of errors do.

const { publishableKey, secretKey, respondentId, email, sessionId, taskType, trait } = canaries;
const run = { respondentId, sessionId, taskType };
const config = { projects: [project("p", { publishableKey, secretKey })], rateLimits: false } as const;

const stages: SinkStage[] = [];
afterEach(async () => void (await Promise.all(stages.splice(0).map((stage) => stage.close()))));

async function stageOf(play: (request: StageRequest) => ReturnType<typeof echo>): Promise<SinkStage> {
  const stage = await openStage(play);
  stages.push(stage);
  return stage;
}

/** All of a request, in a body of this status. */
function echo(request: StageRequest, status: number, wrap: (text: string) => string | object) {
  const { method, path, query, headers, payload } = request;
  return { status, body: wrap(`${method} ${path}?${query} ${JSON.stringify(headers)} ${payload}`) };
}

const echoes: [title: string, status: number, wrap: (text: string) => string | object][] = [
  ["in a refusal", 400, (message) => ({ message })],
  [
    "in a problem document with a code of its own",
    403,
    (detail) => ({ code: "no_entry", title: detail, detail }),
  ],
  ["in a page", 404, (words) => `<p>${words}</p>`],
  ["in a fault", 500, (words) => words],
  ["in a success that is no JSON", 200, (words) => words],
  [
    "in a success of another shape",
    200,
    (echoed) => ({ echoed, scores: [{ echoed }], surveys: [{ echoed }] }),
  ],
];
const faults: [title: string, fault: Fault][] = [
  ["with a cut connection", "reset"],
  ["with half a reply", "drop"],
  ["with silence", "hang"],
];

/** All that an application can log of an error, and what the library itself logs. */
class Ear {
  readonly heard: string[] = [];
  errors = 0;

  get logger(): Logger {
    const hear = (line: string) => void this.heard.push(line);
    return { debug: hear, info: hear, warn: hear, error: hear };
  }

  async catch(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.errors += 1;
      const printed = inspect(error, { depth: Infinity, showHidden: true });
      this.heard.push(String(error), JSON.stringify(error), printed);
    }
  }
}

async function callEverything(baseUrl: string, ear: Ear): Promise<void> {
  const { logger } = ear;
  const connection = { baseUrl, logger, timeoutInMs: 300, maxRetries: 1 };
  const client = new Afterword({ ...connection, secretKey });
  const person = { ...connection, publishableKey, userId: email, traits: { plan: trait } };
  const exported = async (query: object) => {
    for await (const row of client.privacy.export(query, connection)) expect(row).toBeDefined();
  };
  const pending = async () => {
    for await (const score of client.pendingScores({ consumer: sessionId, cursor: respondentId }))
      expect(score).toBeDefined();
  };
  await ear.catch(() => client.mint(run));
  await ear.catch(() => client.ack([{ id: respondentId, state: "failed", reason: canaries.text }]));
  await ear.catch(() => client.surveyTypes(publishableKey));
  await ear.catch(pending);
  await ear.catch(() => exported({ email }));
  await ear.catch(() => exported({ respondentId }));
  await ear.catch(() => client.privacy.erase({ email }, connection));
  await ear.catch(() => new AfterwordRespondent(person).nextAsk());
}

describe("the errors and the log of the node client", () => {
  const expectSilence = (ear: Ear) => {
    expect(ear.heard.length).toBeGreaterThan(10);
    expect(leaksIn(ear.heard.join("\n"))).toEqual([]);
  };

  it.each(echoes)("repeat nothing that a service repeats %s", async (_, status, wrap) => {
    const ear = new Ear();
    const stage = await stageOf((request) => echo(request, status, wrap));
    await callEverything(stage.url, ear);
    const sown = [publishableKey, secretKey, ...Object.values(run), email];
    expect(leaksIn(JSON.stringify(stage.requests))).toEqual(expect.arrayContaining(sown));
    expectSilence(ear);
    // A success of another shape is no error in every call.
    expect(ear.errors).toBeGreaterThanOrEqual(status >= 400 ? 8 : 1);
  });

  it.each(faults)("repeat nothing of a request that ends %s", async (_, fault) => {
    const ear = new Ear();
    const stage = await stageOf(() => ({ status: 200, body: {} }));
    stage.fail(fault, () => true);
    await callEverything(stage.url, ear);
    expectSilence(ear);
    expect(ear.errors).toBe(8);
  });

  it("repeat nothing of an answer and its token", async () => {
    const ear = new Ear();
    await using service = await startServer({ config });
    const { tokens } = await new Afterword({ baseUrl: service.url, secretKey }).mint(run);
    let isBroken = false;
    const passing: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      return isBroken ? new Response(await request.text(), { status: 500 }) : fetch(request);
    };
    const connection = { baseUrl: service.url, logger: ear.logger, maxRetries: 1, fetch: passing };
    const person = new AfterwordRespondent({ ...connection, publishableKey, userId: respondentId });
    person.install({ surveyId: "p-nps", token: tokens["p-nps"]!, sessionId });
    const ask = await person.nextAsk();
    await ear.catch(() => ask!.submit({ rating: 99, text: canaries.text }));
    isBroken = true;
    await ear.catch(() => ask!.submit({ rating: 2, text: canaries.text }));
    await ear.catch(() => ask!.dismiss());
    expect(ear.errors).toBe(3);
    expect(leaksIn(ear.heard.join("\n"))).toEqual([]);
  });
});

const program = fileURLToPath(new URL("../../packages/node/dist/cli.js", import.meta.url));

/** The published program, whose sinks are at this address. */
function start(service: string, sink: string, ...words: string[]) {
  const child = spawn(process.execPath, [program, ...words], {
    env: {
      AFTERWORD_BASE_URL: service,
      AFTERWORD_SECRET_KEY: secretKey,
      AFTERWORD_PUBLISHABLE_KEY: publishableKey,
      LANGFUSE_PUBLIC_KEY: `pk-lf-${canaries.trait}`,
      LANGFUSE_SECRET_KEY: canaries.sinkKey,
      LANGFUSE_BASE_URL: sink,
      AFTERWORD_WEBHOOK_URL: `${sink}/${trait}?to=${trait}`,
      AFTERWORD_WEBHOOK_SECRET: canaries.webhookSecret,
      AFTERWORD_WEBHOOK_ALLOW_PRIVATE: "true",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { child, ended };
}

describe("the program of the node package", () => {
  it("forwards without a word of a person or a key in its log and metrics", async () => {
    await using service = await startServer({ config });
    let status = 400;
    const sink = await stageOf((request) => echo(request, status, (message) => ({ message })));
    const client = new ApiClient(service.url, { publishableKey, secretKey });
    const answer = async (person: string) => {
      const showToken = await client.boundToken("p-nps", { ...run, respondentId: person });
      const stored = await client.submit({
        showToken,
        surveyId: "p-nps",
        rating: 2,
        text: canaries.text,
        traits: { plan: trait },
      });
      expect(stored.status).toBe(201);
    };
    await answer(respondentId);
    const flags =
      "--sink langfuse webhook --text include --admin-port 0 --poll-interval 50ms --stalled-after 1s";
    const { child, ended } = start(service.url, sink.url, "forward", ...flags.split(" "));
    let log = "";
    child.stderr.on("data", (chunk) => void (log += String(chunk)));
    await expect.poll(() => log, { timeout: 20_000 }).toMatch(/metrics on \S+\n/);
    const admin = /metrics on (\S+)\n/.exec(log)![1]!;
    const read = async (path: string) => (await fetch(admin + path)).text();
    const eventually = (line: RegExp) =>
      expect.poll(() => read("/metrics"), { timeout: 20_000 }).toMatch(line);
    await eventually(/failed_total\{.*sink="langfuse".*\} 1/);
    await eventually(/failed_total\{.*sink="webhook".*\} 1/);
    // What is not refused for good is tried again.
    status = 500;
    for (const fault of [undefined, "drop", "reset"] as const) {
      if (fault) sink.fail(fault, () => true);
      const before = sink.requests.length;
      await answer(`${email}-${fault}`);
      await expect.poll(() => sink.requests.length, { timeout: 20_000 }).toBeGreaterThan(before + 1);
    }
    expect(leaksIn(JSON.stringify(sink.requests))).toEqual(expect.arrayContaining([canaries.text]));
    const readable = [await read("/metrics"), await read("/readyz"), await read("/healthz")];
    child.kill("SIGTERM");
    const [out, error] = await ended;
    expect(out + error).toContain("webhook");
    expect(leaksIn([out, error, ...readable].join("\n"))).toEqual([]);
  });

  const commands = [
    ["forward", "--once", "--sink", "langfuse", "webhook"],
    ["erase", "--email", email, "--yes", "--sink", "langfuse", "webhook"],
    ["ask", "--respondent", email, "--session", sessionId],
    ["export", "--email", email],
    ["mint", "--respondent", respondentId, "--session", sessionId, "--task-type", taskType],
    ["forward", "--once", "--dry-run", "--sink", "langfuse"],
    ["doctor", "--sink", "langfuse", "webhook"],
    ["pending"],
  ];
  it.each(isFullProof ? commands : commands.slice(0, 5))(
    "reports a failure of %s without them",
    async (...words) => {
      const service = await stageOf((request) =>
        echo(request, 403, (detail) => ({ code: "no_entry", title: detail, detail })),
      );
      const sink = await stageOf((request) => echo(request, 500, (words) => words));
      const [out, error, [code]] = await start(service.url, sink.url, ...words).ended;
      expect(code).not.toBe(0);
      expect(out + error).toMatch(/403/);
      expect(leaksIn(out + error)).toEqual([]);
    },
  );
});
