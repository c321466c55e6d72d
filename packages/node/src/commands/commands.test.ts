import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveLocally } from "@afterword/command-line/local-server.fixture";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startTestService, type TestService } from "../client/service.fixture.ts";
import { systemClock } from "../options/clock.ts";
import { runInShell, type RunOptions } from "./shell.fixture.ts";

let service: TestService;
let folder: string;
let people = 0;

beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), "afterword-commands-"));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function afterword(command: string, args: readonly string[] = [], options: RunOptions = {}) {
  const environment = {
    AFTERWORD_SECRET_KEY: service.secretKey,
    AFTERWORD_PUBLISHABLE_KEY: service.publishableKey,
    AFTERWORD_BASE_URL: service.url,
    ...options.environment,
  };
  return runInShell([command, ...args], { ...options, environment });
}

const aPerson = () => `person-${(people += 1)}`;

async function pendingIds(includeFailed = false): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of service.client().pendingScores({ includeFailed })) ids.push(id);
  return ids;
}

describe("afterword mint", () => {
  it("prints a token per survey", async () => {
    const run = await afterword("mint", ["--respondent", aPerson(), "--session", "s"]);
    expect(run).toMatchObject({ exitCode: 0, errors: "" });
    expect(run.lines).toEqual([expect.stringMatching(/^csat st2\./), expect.stringMatching(/^nps st2\./)]);
  });

  it("prints what the service has answered with --json, for one survey with --survey", async () => {
    const run = await afterword("mint", [
      "--respondent",
      aPerson(),
      "--session",
      "s",
      "--survey",
      "nps",
      "--json",
    ]);
    expect(run.json()).toEqual([
      {
        tokens: { nps: expect.any(String) },
        suppression: [],
        reports: ["shown"],
        issuedAt: expect.any(String),
        gated: false,
        sampled: { nps: true },
      },
    ]);
  });

  const answering = (reason?: Record<string, string>) => async () =>
    Response.json({ tokens: {}, suppression: [], issuedAt: "2026-11-21T09:00:00.000Z", reason });

  it("says when the respondent must not be asked, which is no failure", async () => {
    const args = ["--respondent", aPerson(), "--session", "s"];
    expect(await afterword("mint", args, { fetch: answering() })).toMatchObject({
      exitCode: 0,
      output: "",
      errors: "No tokens: this respondent must not be asked now.\n",
    });
  });

  it("exits with 2 for a survey that the project does not have, and names it", async () => {
    const run = await afterword("mint", ["--respondent", aPerson(), "--session", "s", "--survey", "chekout"]);
    expect(run).toMatchObject({
      exitCode: 2,
      output: "",
      errors: expect.stringMatching(/^afterword: no survey of this project has the id "chekout"/),
    });
  });

  it("says why each survey got no token", async () => {
    const fetch = answering({ old: "survey_inactive", full: "maximum", csat: "gated" });
    const run = await afterword("mint", ["--respondent", aPerson(), "--session", "s"], { fetch });
    expect(run.exitCode).toBe(0);
    expect(run.errors).toBe(
      "No token for old: the survey is not active.\n" +
        "No token for full: the survey has all the responses that it may have.\n" +
        "No token for csat: this respondent must not be asked now.\n",
    );
  });

  it("exits with 3 for a wrong secret key, and says that the service does not know it", async () => {
    const environment = { AFTERWORD_SECRET_KEY: `aw_sk_${"w".repeat(30)}` };
    const run = await afterword("mint", ["--respondent", aPerson(), "--session", "s"], { environment });
    expect(run).toMatchObject({
      exitCode: 3,
      errors: expect.stringContaining("This service does not know the secret key that was sent"),
    });
  });

  it.each([
    [["--session", "s"], "--respondent is required."],
    [["--respondent", "r"], "--session is required."],
  ])("with %j is refused", async (args, message) => {
    expect(await afterword("mint", args)).toMatchObject({ exitCode: 2, errors: `afterword: ${message}\n` });
  });

  it("exits with 5 when the service refuses the request", async () => {
    const run = await afterword("mint", ["--respondent", "imp_someone", "--session", "s"]);
    expect(run).toMatchObject({ exitCode: 5, errors: expect.stringContaining("/respondentId") });
  });
});

describe("afterword pending and ack", () => {
  it("list what waits, without what people wrote unless it is JSON", async () => {
    const id = await service.rate({ sessionId: "s-list", rating: 3, text: "private words" });
    const plain = await afterword("pending");
    expect(plain.output).toMatch(new RegExp(`^${id} \\S+Z csat s-list 3$`, "m"));
    expect(plain.output).not.toContain("private words");
    const json = await afterword("pending", ["--json"]);
    expect(json.json()).toContainEqual(expect.objectContaining({ id, text: "private words" }));
    expect((await afterword("pending", ["--count"])).output).toBe("1\n");
    expect((await afterword("pending", ["--count", "--json"])).json()).toEqual([{ count: 1 }]);
  });

  it("mark ids from the arguments or from standard input", async () => {
    const [first] = await pendingIds();
    const second = await service.rate();
    const dry = await afterword("ack", ["--state", "failed", "--dry-run", first!]);
    expect(dry.output).toBe("would mark 1 as failed, updated 0\n");
    expect(await afterword("ack", ["--state", "failed", first!])).toMatchObject({
      exitCode: 0,
      output: "marked 1 as failed, updated 1\n",
    });
    expect(await pendingIds()).toEqual([second]);
    const failed = await afterword("pending", ["--include-failed"]);
    expect(failed.lines).toHaveLength(2);
    const explained = await afterword("ack", ["--state", "failed", "--reason", "😀".repeat(80), first!]);
    expect(explained).toMatchObject({ exitCode: 0, output: "marked 1 as failed, updated 0\n" });
    const json = await afterword("ack", ["--state", "delivered", "--json"], {
      input: `${first}\n${second}\n`,
    });
    expect(json.json()).toEqual([{ ids: 2, updated: 2, dryRun: false }]);
    expect(await pendingIds(true)).toEqual([]);
  });

  it.each([
    [["an-id"], "ack needs --state delivered or --state failed."],
    [["--state", "gone", "an-id"], "ack needs --state delivered or --state failed."],
    [["--state", "failed"], "ack needs ids, as arguments or on standard input."],
    [
      ["--state", "delivered", "--reason", "gone", "an-id"],
      "--reason says why scores failed: pass it with --state failed.",
    ],
    ...["x".repeat(81), "two\nlines", " padded", ""].map((reason): [string[], string] => [
      ["--state", "failed", "--reason", reason, "an-id"],
      "--reason needs 1 to 80 characters without line breaks or other control characters, and without spaces around " +
        `them; this one has ${reason.length}.`,
    ]),
  ])("refuse %j", async (args, message) => {
    expect(await afterword("ack", args)).toMatchObject({ exitCode: 2, errors: `afterword: ${message}\n` });
  });
});

describe("afterword export", () => {
  it("writes a person's responses as JSON lines, and how many there were to the side", async () => {
    const respondentId = aPerson();
    const id = await service.rate({ respondentId, rating: 2 });
    const run = await afterword("export", ["--respondent", respondentId]);
    expect(run.json()).toEqual([expect.objectContaining({ id, respondentId, rating: 2 })]);
    expect(run.errors).toMatch(/^exported 1 responses of \S+Z\n$/);
  });

  it("of an empty selector is refused, since it would be everybody's", async () => {
    expect(await afterword("export", ["--respondent", ""])).toMatchObject({ exitCode: 2, output: "" });
  });
});

describe("afterword erase", () => {
  const countOf = async (respondentId: string) =>
    (await afterword("export", ["--respondent", respondentId])).lines.length;

  it("counts with --dry-run and erases nothing", async () => {
    const respondentId = aPerson();
    await service.rate({ respondentId });
    const run = await afterword("erase", ["--respondent", respondentId, "--dry-run"]);
    expect(run.output).toBe("would erase 1 responses\n");
    expect(await countOf(respondentId)).toBe(1);
  });

  it("erases with --yes and prints what the service has done", async () => {
    const respondentId = aPerson();
    await service.rate({ respondentId });
    const run = await afterword("erase", ["--respondent", respondentId, "--yes"]);
    expect(run.json()).toEqual([expect.objectContaining({ mode: "respondent", responsesDeleted: 1 })]);
    expect(await countOf(respondentId)).toBe(0);
  });

  it("asks on a terminal, and erases only when that is confirmed", async () => {
    const respondentId = aPerson();
    await service.rate({ respondentId });
    const args = ["--respondent", respondentId];
    const refused = await afterword("erase", args, { isTerminal: true, input: "yes\n" });
    expect(refused).toMatchObject({ exitCode: 2, errors: expect.stringContaining("Nothing was erased.") });
    expect(await countOf(respondentId)).toBe(1);
    expect(await afterword("erase", args, { isTerminal: true, input: "erase\n" })).toMatchObject({
      exitCode: 0,
    });
    expect(await countOf(respondentId)).toBe(0);
  });

  it("erases nothing when it is interrupted at the question", async () => {
    const respondentId = aPerson();
    await service.rate({ respondentId });
    const stop = new AbortController();
    const run = await afterword("erase", ["--respondent", respondentId], {
      isTerminal: true,
      interrupted: stop.signal,
      onError: () => stop.abort(),
    });
    expect(run.exitCode).toBe(130);
    expect(await countOf(respondentId)).toBe(1);
  });

  it("says what is not certain while a forwarder may run, and --again sweeps what it has named", async () => {
    const respondentId = aPerson();
    const id = await service.rate({ respondentId });
    const out = join(folder, "again.jsonl");
    const stop = new AbortController();
    const args = ["--respondent", respondentId, "--sink", "jsonl", "--out", out, "--yes"];
    const onError = (text: string) => text.startsWith("Waiting") && stop.abort();
    const first = await afterword("erase", args, { interrupted: stop.signal, onError });
    expect(first.exitCode).toBe(6);
    expect(first.errors).toContain("A running forwarder may push these scores until");
    expect(first.json()).toEqual([
      expect.objectContaining({ responseIds: [id], uncertain: expect.stringContaining("may push") }),
      expect.objectContaining({ responseIds: [id], certainAt: expect.any(String) }),
    ]);
    await writeFile(out, `{"id":"${id}"}\n{"id":"another"}\n`);

    const blind = await afterword("erase", args);
    expect(blind).toMatchObject({
      exitCode: 0,
      errors: expect.stringContaining("No response was found, so nothing"),
    });
    const again = await afterword("erase", [...args, "--again", "erased.json", "--forwarder-hold", "0s"], {
      files: { "erased.json": first.output },
    });
    expect(again.json()).toEqual([
      expect.objectContaining({
        responseIds: [id],
        sinks: [{ sink: "jsonl", erased: 1, unsupported: 0, failed: 0, reasons: [] }],
        certainAt: null,
        uncertain: "",
      }),
    ]);
    expect(await readFile(out, "utf8")).toBe('{"id":"another"}\n');
    const odd = await afterword("erase", [...args, "--again", "odd.json"], { files: { "odd.json": "{}" } });
    expect(odd).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining("is not the output of an earlier erase"),
    });
  });

  it("names for --again what the service may have erased when its reply is lost", async () => {
    const respondentId = aPerson();
    const id = await service.rate({ respondentId });
    const out = join(folder, "lost.jsonl");
    const args = ["--respondent", respondentId, "--sink", "jsonl", "--out", out, "--forwarder-hold", "0s"];
    const stop = new AbortController();
    const losesReply: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const reply = await fetch(request);
      if (request.method !== "DELETE") return reply;
      stop.abort();
      throw new TypeError("fetch failed");
    };
    const options = { fetch: losesReply, interrupted: stop.signal };
    const lost = await afterword("erase", [...args, "--yes"], options);
    expect(lost).toMatchObject({ exitCode: 6, errors: expect.stringContaining("its part is unknown") });
    expect(await countOf(respondentId)).toBe(0);
    await writeFile(out, `{"id":"${id}"}\n`);

    const files = { "erased.json": lost.output };
    const again = await afterword("erase", [...args, "--yes", "--again", "erased.json"], { files });
    expect(again).toMatchObject({ exitCode: 0 });
    expect(await readFile(out, "utf8")).toBe("");
  });

  it.each([
    [["--yes"], "erase needs respondentId, email, surveySlug or account: true."],
    [["--dry-run"], "erase needs --respondent, --email, --survey or --account."],
    [["--account", "--survey", "csat", "--yes"], "takes no other selector"],
    [
      ["--respondent", "", "--survey", "csat", "--yes"],
      "given respondentId without a value; nothing was erased.",
    ],
    [["--survey", "csat"], "erase cannot be undone: add --yes, or try --dry-run first."],
    [
      ["--survey", "csat", "--sink", "jsonl", "--out", "x", "--yes"],
      "erase with --sink needs --respondent or --email.",
    ],
  ])("refuses %j, and nothing is erased", async (args, message) => {
    const respondentId = aPerson();
    await service.rate({ respondentId });
    const run = await afterword("erase", args);
    expect(run).toMatchObject({ exitCode: 2, errors: expect.stringContaining(message) });
    expect(await countOf(respondentId)).toBe(1);
  });
});

describe("afterword ask", () => {
  it("shows a survey and stores the answer", async () => {
    const run = await afterword("ask", ["--slug", "csat", "--json"], { input: "4\n" });
    expect(run.errors).toContain("How well did the agent do this task?");
    expect(run.json()).toEqual([{ outcome: "answered", rating: 4 }]);
  });

  it("mints first when it is told who and which session, so that the rating is linked", async () => {
    const session = ["--respondent", aPerson(), "--session", "s-asked", "--observation", "o-asked"];
    await afterword("ask", ["--slug", "nps", ...session], { input: "9\n" });
    const rows = (await afterword("pending", ["--json"])).json();
    expect(rows).toContainEqual(
      expect.objectContaining({ sessionId: "s-asked", observationId: "o-asked", rating: 9 }),
    );
  });

  it.each([
    [["--session", "s"], "--session needs --respondent"],
    [["--respondent", "r", "--task-type", "search"], "--observation and --task-type need --session"],
  ])("with %j is refused: the rating would not be linked", async (args, message) => {
    expect(await afterword("ask", args)).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining(message),
    });
  });

  it("ends by 130 when it is interrupted while it mints", async () => {
    const stop = new AbortController();
    const fetch: typeof globalThis.fetch = (input, init) =>
      new Promise((_resolve, reject) => {
        const { signal } = new Request(input, init);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        stop.abort();
      });
    const session = ["--respondent", aPerson(), "--session", "s-asked"];
    const run = await afterword("ask", session, { fetch, interrupted: stop.signal });
    expect(run).toMatchObject({ exitCode: 130, output: "" });
  });

  it("says when there is no survey to ask, which is no failure", async () => {
    const run = await afterword("ask", ["--slug", "none", "--json"]);
    expect(run).toMatchObject({
      exitCode: 0,
      errors: "No survey to ask: this respondent may not be shown one now.\n",
    });
    expect(run.json()).toEqual([{ outcome: "gated" }]);
  });
});

describe("afterword doctor", () => {
  /** A server that answers everything in one way. */
  async function aServer(status: number, type: string, body: string) {
    const { url, close } = await serveLocally((_, response) =>
      response.writeHead(status, { "content-type": type }).end(body),
    );
    onTestFinished(close);
    return url;
  }

  it("finds all well while ratings merely wait, however long", async () => {
    await service.rate();
    const otlp = await aServer(200, "application/json", "{}");
    const args = ["--sink", "jsonl", "otlp", "--out", join(folder, "doctor.jsonl")];
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: otlp };
    const now = () => Date.now() + 86_400_000;
    // The service a day later, with its clock.
    const later: typeof fetch = async (input, init) => {
      const { body, status, headers } = await fetch(input, init);
      const all = { ...Object.fromEntries(headers), date: new Date(now()).toUTCString() };
      return new Response(body, { status, headers: all });
    };
    const run = await afterword("doctor", args, {
      environment,
      clock: { ...systemClock, now },
      fetch: later,
    });
    expect(run.exitCode).toBe(0);
    expect(run.lines).toEqual([
      `ok       service: ${service.url} answers`,
      "ok       secret key and queue: the key is accepted",
      "ok       secret key and queue: the key also allows mint and privacy, and a forwarder needs the scope scores alone: " +
        "on the server, create a secret key of your project with --scope scores (afterword-server key create --help)",
      expect.stringMatching(
        /^ok {7}secret key and queue: the oldest score has waited for \d+ s; "afterword forward" delivers it$/,
      ),
      "ok       publishable key: accepted; active surveys: 2",
      "ok       sink: jsonl: the settings are complete; they cannot be tested without delivering something",
      "ok       sink: otlp: it accepts log records",
      "All is well.",
    ]);
  });

  it.each([
    [["scores", "privacy"], "the key also allows privacy, and a forwarder"],
    [["scores", "mint"], "the key also allows mint, and a forwarder"],
    [["scores"], undefined],
  ])("of a key with the scopes %j recommends: %s", async (scopes, advice) => {
    const requested: string[] = [];
    const limited: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      const needed = { "/v1/sdk/tokens": "mint", "/v1/privacy/export": "privacy" }[pathname] ?? "scores";
      requested.push(needed);
      if (scopes.includes(needed)) return await fetch(request);
      return Response.json({ code: "scope_required" }, { status: 401 });
    };
    const { exitCode, output } = await afterword("doctor", [], { fetch: limited });
    expect(exitCode).toBe(0);
    expect(new Set(requested)).toEqual(new Set(["scores", "mint", "privacy"]));
    expect(output.includes("--scope scores")).toBe(advice !== undefined);
    expect(output).toContain(advice ?? "All is well.");
  });

  it("goes on behind a fault and tells the first one by its exit code", async () => {
    const environment = { AFTERWORD_SECRET_KEY: "aw_sk_wrong", AFTERWORD_PUBLISHABLE_KEY: "aw_pk_wrong" };
    const run = await afterword("doctor", ["--sink", "datadog", "--json"], { environment });
    expect(run.exitCode).toBe(3);
    const missing = "The sink datadog needs the variables DD_API_KEY and DD_LLMOBS_ML_APP.";
    expect(run.json()).toEqual([
      expect.objectContaining({ check: "service", result: "ok" }),
      expect.objectContaining({ check: "secret key and queue", result: "failed" }),
      expect.objectContaining({ check: "publishable key", result: "failed" }),
      { check: "sink", result: "failed", detail: missing },
    ]);
  });

  it.each([
    [401, "application/json", '{"detail":"Invalid token"}', 3, "answered 401"],
    [200, "text/html", "<!doctype html><title>Welcome</title>", 3, "is the base URL right?"],
    [404, "text/plain", "Not Found", 3, "is the base URL right?"],
    [503, "text/plain", "starting", 4, "answered 503"],
  ])("asks the sink: %i %s %s ends with %i", async (status, type, body, exitCode, detail) => {
    const environment = { PHOENIX_BASE_URL: await aServer(status, type, body) };
    const run = await afterword("doctor", ["--sink", "phoenix"], { environment });
    expect(run).toMatchObject({ exitCode, output: expect.stringContaining(detail) });
    expect(run.lines.at(-2)).toMatch(/^failed {3}sink: phoenix: GET /);
    expect(run.lines.at(-1)).toMatch(/^1 of \d checks need attention\.$/);
  });

  it("ends with 4 for a sink that cannot be reached, after it has asked the others", async () => {
    const otlp = await aServer(200, "application/json", "{}");
    const environment = { PHOENIX_BASE_URL: "http://127.0.0.1:9", OTEL_EXPORTER_OTLP_ENDPOINT: otlp };
    const run = await afterword("doctor", ["--sink", "phoenix", "otlp"], { environment });
    expect(run).toMatchObject({ exitCode: 4, output: expect.stringContaining("ok       sink: otlp") });
  });

  it.each([
    [200, "text/html", "<!doctype html><title>Welcome</title>"],
    [200, "application/json", "{}"],
    [404, "application/json", '{"detail":"Not Found"}'],
    [405, "text/plain", "Method Not Allowed"],
  ])("ends with 3 for the address of another service, which answers %i %s %s", async (status, type, body) => {
    const url = await aServer(status, type, body);
    const run = await afterword("doctor", [], { environment: { AFTERWORD_BASE_URL: url } });
    expect(run.exitCode).toBe(3);
    expect(run.lines[0]).toMatch(/^failed {3}service: .* is the base URL right\?$/);
  });

  it("tells a clock that is wrong, and a service that cannot be reached", async () => {
    const date = "Sat, 01 Jan 2000 00:00:00 GMT";
    const late = async () => new Response("", { status: 401, headers: { date } });
    expect((await afterword("doctor", [], { fetch: late })).lines[0]).toMatch(
      /^warning {2}service: its clock is \d+ s away/,
    );
    const undated = async () => new Response("", { status: 401 });
    expect((await afterword("doctor", [], { fetch: undated })).lines[0]).toMatch(
      /^ok {7}service: \S+ answers without a Date header/,
    );
    const gone = () => Promise.reject(new TypeError("fetch failed"));
    const run = await afterword("doctor", [], {
      fetch: gone,
      environment: { AFTERWORD_BASE_URL: "http://127.0.0.1:9" },
    });
    expect(run).toMatchObject({
      exitCode: 4,
      output: expect.stringContaining("could not reach http://127.0.0.1:9"),
    });
  });
});
