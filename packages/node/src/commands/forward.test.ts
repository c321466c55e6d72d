import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveLocally } from "@afterword/command-line/local-server.fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../client/service.fixture.ts";
import { runInShell, type RunOptions } from "./shell.fixture.ts";

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), "afterword-forward-"));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** `afterword forward` against the real service. */
function forward(args: readonly string[], options: RunOptions = {}) {
  const environment = { AFTERWORD_SECRET_KEY: service.secretKey, ...options.environment };
  return runInShell(["forward", "--base-url", service.url, ...args], { ...options, environment });
}

const linesOf = async (file: string) =>
  (await readFile(file, "utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));

async function pendingIds(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of service.client().pendingScores()) ids.push(id);
  return ids;
}

describe("afterword forward --once", () => {
  it("drains the queue into the file, empties it, and prints one summary line", async () => {
    const out = join(folder, "once.jsonl");
    const id = await service.rate({ sessionId: "s-1", observationId: "o-1", rating: 5, text: "Found it" });
    const run = await forward(["--sink", "jsonl", "--out", out, "--once", "--json"]);
    expect(run).toMatchObject({
      exitCode: 0,
      output:
        '{"delivered":1,"failed":0,"retried":0,"deferred":0,"unacknowledged":0,"isComplete":true,"problems":{}}\n',
      errors: "",
    });
    expect(await linesOf(out)).toEqual([
      expect.objectContaining({
        id,
        surveyId: "csat",
        sessionId: "s-1",
        observationId: "o-1",
        rating: 5,
        text: "Found it",
        at: expect.stringMatching(/Z$/),
      }),
    ]);
    expect(await pendingIds()).toEqual([]);
  });

  it("gives ratings their meaning from the surveys of the configuration file", async () => {
    const out = join(folder, "meaning.jsonl");
    await service.rate({ surveyId: "nps", rating: 9 });
    const surveys = { nps: { type: "nps", name: "product.nps" } };
    await forward(["--config", "afterword.json", "--once"], {
      files: { "afterword.json": JSON.stringify({ sink: "jsonl", out, surveys, text: "omit" }) },
    });
    expect(await linesOf(out)).toEqual([
      expect.objectContaining({ name: "product.nps", normalised: 0.9, label: "promoter", rating: 9 }),
    ]);
  });
});

/** A service that answers everything in one way, and the settings of two sinks that take it for theirs. */
async function aService(status: number, headers: Record<string, string> = {}) {
  const server = await serveLocally((_, response) => response.writeHead(status, headers).end("{}"));
  const environment = {
    LANGFUSE_PUBLIC_KEY: "pk-1",
    LANGFUSE_BASE_URL: server.url,
    PHOENIX_BASE_URL: server.url,
  };
  return { ...server, environment };
}

describe("afterword forward --once that leaves something behind", () => {
  const advice = "What is left stays pending: run the command again later.";

  it("says how much is left, why and what to do, and ends by 4", async () => {
    await using busy = await aService(503, { "retry-after": "300" });
    const left = await service.rate();
    const run = await forward(["--sink", "langfuse", "--once"], busy);
    expect(run).toMatchObject({ exitCode: 4, output: "delivered 0, failed 0, retried 1\n" });
    expect(run.errors.split("\n")).toEqual([
      "1 score could not be delivered now",
      "the queue was not read to its end",
      "  last reason: langfuse: POST /api/public/scores answered 503",
      advice,
      "",
    ]);
    expect(await pendingIds()).toEqual([left]);
    await forward(["--out", join(folder, "left.jsonl"), "--once"]);
  });

  it("says it of each of several sinks, as JSON too", async () => {
    await using early = await aService(409, { "retry-after": "300" });
    await service.rate();
    const out = join(folder, "several.jsonl");
    const run = await forward(["--sink", "jsonl", "phoenix", "--out", out, "--once", "--json"], early);
    const reason = "phoenix: POST /v1/session_annotations answered 409";
    expect(run.exitCode).toBe(4);
    expect(run.json()).toEqual([
      {
        delivered: 0,
        failed: 0,
        retried: 1,
        deferred: 1,
        unacknowledged: 0,
        isComplete: true,
        problems: { phoenix: reason },
      },
    ]);
    expect(run.errors.split("\n")).toEqual([
      "1 score could not be delivered now",
      `  last reason: ${reason}`,
      advice,
      "",
    ]);
    await forward(["--out", out, "--once"]);
  });

  it("says what was refused for good, which is an end: by 0", async () => {
    await using strict = await aService(400);
    await service.rate();
    const run = await forward(["--sink", "langfuse", "--once"], strict);
    expect(run).toMatchObject({ exitCode: 0, output: "delivered 0, failed 1, retried 0\n" });
    expect(run.errors.split("\n")).toEqual([
      "1 score refused for good; see: afterword pending --include-failed",
      "  last reason: langfuse: POST /api/public/scores answered 400",
      "",
    ]);
  });
});

describe("afterword forward that is told to end", () => {
  /** The service, but for bootstrap, which hangs until its signal is aborted; `onHang` is called then. */
  const hangingBootstrap =
    (onHang: () => void): typeof fetch =>
    (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith("/bootstrap")) return fetch(request);
      return new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
        onHang();
      });
    };

  it.each([
    [["--once"], 130],
    [["--dry-run"], 130],
    [[], 0],
  ] as const)("ends at once, with %j by %i, although bootstrap hangs", async (flags, exitCode) => {
    const id = await service.rate();
    const stop = new AbortController();
    const run = await forward(["--out", join(folder, "hangs.jsonl"), ...flags], {
      fetch: hangingBootstrap(() => stop.abort()),
      interrupted: stop.signal,
      environment: { AFTERWORD_PUBLISHABLE_KEY: service.publishableKey },
    });
    expect(run.exitCode).toBe(exitCode);
    expect(await pendingIds()).toContain(id);
    await forward(["--out", join(folder, "later.jsonl"), "--once"]);
  });
});

describe("afterword forward --include-failed", () => {
  it("delivers what was refused for good before, once", async () => {
    await using strict = await aService(400);
    const id = await service.rate();
    await forward(["--sink", "langfuse", "--once"], strict);
    expect(await pendingIds()).toEqual([]);
    const dry = await forward(["--out", "x", "--dry-run", "--include-failed"]);
    expect(dry.json()).toContainEqual(expect.objectContaining({ id }));
    const again = await forward(["--sink", "langfuse", "--once", "--include-failed"], strict);
    expect(again).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^delivered 0, failed [1-9]/) });
    const out = join(folder, "failed.jsonl");
    await forward(["--out", out, "--once"]);
    await expect(readFile(out)).rejects.toThrow("ENOENT");
    await forward(["--out", out, "--once", "--include-failed"]);
    expect(await linesOf(out)).toContainEqual(expect.objectContaining({ id }));
  });
});

describe("afterword forward --dry-run", () => {
  it("gives ratings their meaning as the delivery does, with a publishable key", async () => {
    const id = await service.rate({ surveyId: "nps", rating: 9 });
    const run = await forward(["--out", join(folder, "meaning-dry.jsonl"), "--dry-run"], {
      environment: { AFTERWORD_PUBLISHABLE_KEY: service.publishableKey },
    });
    expect(run.json()).toEqual([expect.objectContaining({ id, surveyType: "nps", normalised: 0.9 })]);
    await forward(["--out", join(folder, "later.jsonl"), "--once"]);
  });

  it("shows what would be delivered, and neither delivers nor acknowledges it", async () => {
    const out = join(folder, "dry.jsonl");
    const id = await service.rate({ text: "private words" });
    const run = await forward(["--out", out, "--dry-run", "--text", "omit"]);
    expect(run.exitCode).toBe(0);
    expect(run.json()).toEqual([expect.objectContaining({ id, text: null, name: "afterword.csat" })]);
    const named = await forward(["--out", out, "--dry-run", "--score-name", "afterword.rating"]);
    expect(named.json()).toEqual([expect.objectContaining({ id, name: "afterword.rating" })]);
    expect(await pendingIds()).toEqual([id]);
    await expect(readFile(out)).rejects.toThrow("ENOENT");
    await forward(["--out", out, "--once"]);
  });
});

describe("afterword forward", () => {
  it("delivers what comes until it is told to stop, then drains and sums up", async () => {
    const out = join(folder, "on.jsonl");
    const stop = new AbortController();
    const run = forward(["--out", out, "--json", "--poll-interval", "20ms"], { interrupted: stop.signal });
    await service.rate();
    await expect.poll(pendingIds, { timeout: 10_000 }).toEqual([]);
    stop.abort();
    expect(await run).toMatchObject({ exitCode: 0, output: '{"delivered":1,"failed":0,"retried":0}\n' });
  });

  it("lets erase --sink jsonl in while it writes to the same file, and writes on", async () => {
    const out = join(folder, "erased.jsonl");
    const stop = new AbortController();
    const running = forward(["--out", out, "--poll-interval", "20ms"], { interrupted: stop.signal });
    await service.rate({ respondentId: "erased", text: "private words" });
    await expect.poll(pendingIds, { timeout: 10_000 }).toEqual([]);
    const who = ["--respondent", "erased", "--yes", "--sink", "jsonl", "--out", out];
    const environment = { AFTERWORD_SECRET_KEY: service.secretKey };
    const erasure = ["erase", "--base-url", service.url, ...who, "--forwarder-hold", "0s"];
    expect(await runInShell(erasure, { environment })).toMatchObject({ exitCode: 0 });
    const id = await service.rate();
    await expect.poll(pendingIds, { timeout: 10_000 }).toEqual([]);
    stop.abort();
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(await linesOf(out)).toEqual([expect.objectContaining({ id })]);
  });

  it.each([
    ["SIGTERM", 0],
    ["SIGINT", 130],
    ["SIGHUP", 130],
  ] as const)("drains on %s and ends by %i", async (stopSignal, exitCode) => {
    const interrupted = AbortSignal.abort();
    const run = await forward(["--out", join(folder, "signal.jsonl")], { interrupted, stopSignal });
    expect(run.exitCode).toBe(exitCode);
  });

  it("says at its start from where to where, and why it waits, without a terminal too", async () => {
    await using busy = await aService(503, { "retry-after": "300" });
    const left = await service.rate();
    const stop = new AbortController();
    const onError = (text: string) => text.includes("waiting") && stop.abort();
    const run = await forward(["--sink", "langfuse"], { ...busy, interrupted: stop.signal, onError });
    const [first, second] = run.errors.split("\n");
    expect(first).toBe(`forwarding scores from ${service.url} to langfuse`);
    expect(second).toMatch(
      /^1 waiting for langfuse: POST \/api\/public\/scores answered 503 \(since \S+Z, next attempt \S+Z\)$/,
    );
    expect(await pendingIds()).toEqual([left]);
    await forward(["--out", join(folder, "left.jsonl"), "--once"]);
  });
});

describe("exit codes", () => {
  it("2 for flags that cannot work, with what to do, and nothing is sent", async () => {
    const sent: unknown[] = [];
    const fetch = async (input: unknown) => {
      sent.push(input);
      return new Response();
    };
    const cases: [string[], string][] = [
      [["--sink", "nowhere"], 'There is no sink "nowhere"; choose one of jsonl'],
      [["--sink", "jsonl"], "The jsonl sink needs --out FILE."],
      [["--sink", "langfuse"], "The sink langfuse needs the variable LANGFUSE_PUBLIC_KEY."],
      [["--out", "x", "--concurrency", "many"], "concurrency is NaN"],
      [["--out", "x", "--poll-interval", "2"], '"2" is not a duration'],
      [["--out", "x", "--text", "some"], '--text is "some"; it must be include or omit.'],
      [["--out", "x", "--config", "none.json"], "Could not read none.json."],
      [["--unknown"], "unknown option '--unknown'"],
    ];
    for (const [args, message] of cases) {
      const run = await forward(args, { fetch });
      expect(run.errors).toContain(message);
      expect(run.exitCode).toBe(2);
    }
    expect(sent).toEqual([]);
  });

  it("2 for a configuration file, with every mistake at once", async () => {
    const files = { "afterword.json": JSON.stringify({ concurrency: 0, text: "maybe", typo: 1 }) };
    const run = await forward(["--config", "afterword.json"], { files });
    expect(run.exitCode).toBe(2);
    for (const word of ["concurrency", "text", "typo"]) expect(run.errors).toContain(word);
  });

  it("2 for a publishable key, 3 for a key that the service refuses", async () => {
    const out = ["--out", join(folder, "key.jsonl"), "--once"];
    const publishable = await forward(out, { environment: { AFTERWORD_SECRET_KEY: service.publishableKey } });
    expect(publishable).toMatchObject({ exitCode: 2, errors: expect.stringContaining("publishable key") });
    const wrong = await forward(out, { environment: { AFTERWORD_SECRET_KEY: "aw_sk_wrong" } });
    expect(wrong).toMatchObject({ exitCode: 3, errors: expect.stringContaining("secret_key_required") });
  });

  it("3 for a sink that can take nothing, and the scores stay pending", async () => {
    const id = await service.rate();
    const run = await forward(["--out", folder, "--once"]);
    expect(run.exitCode).toBe(3);
    expect(await pendingIds()).toEqual([id]);
    await forward(["--out", join(folder, "later.jsonl"), "--once"]);
  });

  it("4 for a service that cannot be reached", async () => {
    const fetch = async () => {
      throw new TypeError("fetch failed");
    };
    const run = await forward(["--out", join(folder, "lost.jsonl"), "--once"], { fetch });
    expect(run).toMatchObject({ exitCode: 4, errors: expect.stringContaining("could not connect") });
  });

  it("0 for help, which lists commands, sinks and exit codes", async () => {
    const help = await runInShell(["--help"]);
    expect(help.exitCode).toBe(0);
    expect(help.output).toContain("forward");
    expect(help.output).toContain("Exit codes:");
    expect((await runInShell(["forward", "--help"])).output).toContain("LANGFUSE_PUBLIC_KEY");
  });
});
