import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Afterword } from "@afterword/node";
import { type Extension, serverClauses, Service, setup } from "@afterword/conformance";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allowedOrigin } from "../api/contract.suite.ts";
import { keysOf } from "../api/projects.ts";

/** What README.md declares not to offer. */
const without: Extension[] = [
  "asking-again",
  "leases",
  "runs",
  "run-sampling",
  "scopes",
  "shown",
  "thumbs",
  "token-answers",
];

const inSeconds = (duration: unknown) => Number(/^(\d+)s$/.exec(String(duration))![1]);

/** The kit's projects in the form of the second server's config file. */
const config = {
  database: "feedback.sqlite",
  requestsPerMinute: { address: 600_000, project: 600_000, acknowledgements: 150 },
  projects: setup.projects.map(({ id, allowedOrigins, gating, surveys }) => ({
    id,
    publishableKeys: [keysOf(id).publishableKey],
    secretKeys: [keysOf(id).secretKey],
    origins: allowedOrigins,
    ...(gating && { quietPeriodSeconds: inSeconds(gating.quietPeriod), monthlyCap: gating.monthlyCap }),
    surveys: surveys.map(
      ({ status, askAgain: _askAgain, sampling: _sampling, thumbs: _thumbs, ...survey }) => ({
        ...survey,
        state: status,
      }),
    ),
  })),
};

/** Starts the server in a folder with its config, and resolves with the address that it prints. */
async function startServer(
  folder: string,
  config: object,
): Promise<{ server: ChildProcess; baseUrl: string }> {
  const file = join(folder, "config.json");
  await writeFile(file, JSON.stringify(config));
  const server = spawn(process.env["SECOND_SERVER"]!, ["-config", file, "-listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const baseUrl = await new Promise<string>((resolve, reject) => {
    let printed = "";
    server.stdout!.on("data", (text: Buffer) => {
      printed += text.toString();
      const [, baseUrl] = /listening on (\S+)/.exec(printed) ?? [];
      if (baseUrl) resolve(baseUrl);
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`the second server ended with ${code}`)));
  });
  return { server, baseUrl };
}

async function stopServer(server: ChildProcess) {
  const ended = once(server, "exit");
  server.kill();
  await ended;
}

/** A token that expires as it is minted, from a server that is configured so. */
async function expiredTokenOf(folder: string): Promise<string> {
  const { server, baseUrl } = await startServer(folder, { ...config, boundTokenSeconds: -60 });
  const { secretKey } = keysOf(config.projects[0]!.id);
  const client = new Afterword({ baseUrl, secretKey });
  const { tokens } = await client.mint({
    surveyId: "nps",
    respondentId: "late",
    sessionId: "late",
  });
  await stopServer(server);
  return tokens["nps"]!;
}

describe("the second server", () => {
  it("has at most 1,500 lines of Go, its test and the SQL of its tables apart", () => {
    const files = globSync("*.go", { cwd: import.meta.dirname }).filter((file) => !file.endsWith("_test.go"));
    const lines = files.map(
      (file) => readFileSync(join(import.meta.dirname, file), "utf8").split("\n").length - 1,
    );
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1_500);
  });
});

describe("the second server, contract section", () => {
  let folder: string;
  let server: ChildProcess;
  let service: Service;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "second-server-"));
    const expiredToken = await expiredTokenOf(folder);
    const started = await startServer(folder, config);
    server = started.server;
    service = new Service({
      baseUrl: started.baseUrl,
      expiredToken,
      keys: keysOf(config.projects[0]!.id),
      secondKeys: keysOf(config.projects[1]!.id),
      allowedOrigin,
      isDisposable: true,
      wait: (milliseconds) => wait(milliseconds),
      runId: "conformance",
    });
  });

  afterAll(async () => {
    await stopServer(server);
    await rm(folder, { recursive: true });
  });

  const clauses = serverClauses.filter(({ offers }) => !offers || !without.includes(offers));
  it.each(clauses.map(({ section, title, run }) => [section, title, run] as const))(
    "%s: %s",
    async (_section, _title, run) => expect(typeof (await run(service))).toMatch(/^(string|undefined)$/),
  );
});
