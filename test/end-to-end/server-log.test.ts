import { spawn, type StdioOptions } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endOf } from "../program-end.ts";
import { ServerFolder, serverProgram, type ServerProgram } from "./server-program.ts";

const key = `aw_sk_${"s".repeat(43)}`;
const config = {
  rateLimits: false,
  projects: [{ id: "shop", name: "Shop", secretKey: key, allowedOrigins: [], surveys: [] }],
};

const requestsPerRound = 50;
/** Far more lines than any pipe holds, so that nothing but what the process keeps can hold the last ones. */
const rounds = 24;

const serve = (folder: ServerFolder) => {
  writeFileSync(folder.file("config.json"), JSON.stringify(config));
  return folder.serve("--config", "config.json", "--db", "a.db", "--log-requests", "all");
};

async function refusals({ url }: ServerProgram, count = rounds): Promise<void> {
  for (let round = 0; round < count; round++) {
    const replies = await Promise.all(
      Array.from({ length: requestsPerRound }, () => fetch(`${url}/nowhere`)),
    );
    await Promise.all(replies.map((reply) => reply.arrayBuffer()));
  }
}

async function exported({ url }: ServerProgram): Promise<number> {
  const headers = { "x-service-key": key };
  const reply = await fetch(`${url}/v1/privacy/export`, { headers });
  await reply.arrayBuffer();
  return reply.status;
}

async function secondsOf(stop: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await stop;
  return (performance.now() - begun) / 1000;
}

/** What a command that changes something says and how it ends, with one of its outputs on a full disk. */
async function createOn(full: "output" | "error") {
  using folder = new ServerFolder();
  const disk = openSync("/dev/full", "w");
  const stdio: StdioOptions = full === "error" ? ["ignore", "pipe", disk] : ["ignore", disk, "pipe"];
  const words = [serverProgram, "project", "create", "shop", "--json"];
  const command = spawn(process.execPath, words, { cwd: folder.path, stdio });
  const { out, error, code } = await endOf(command);
  closeSync(disk);
  return { said: out + error, code };
}

// They wait for seconds, each on its own.
describe.concurrent("a log whose reader stalls", () => {
  it("delays no reply but those that need an audit line, which are refused until the reader continues", async ({
    expect,
  }) => {
    using folder = new ServerFolder();
    folder.log = "stalled";
    await using server = await serve(folder);
    await refusals(server);
    expect(await exported(server)).toBe(503);
    server.readLog();
    await expect.poll(() => server.log.at(-1)).toContain("audit lines are written again");
    expect(server.log.filter((line) => line.includes(`"status":503`))).toHaveLength(1);
    const audits = server.log.filter((line) => line.includes(`"event":"audit"`));
    expect(audits.map((line) => (JSON.parse(line) as { what: string; outcome: string }).outcome)).toEqual([
      "started",
      "done",
      // The export that was refused.
      "done",
      "failed",
    ]);
    expect(await exported(server)).toBe(200);
    expect(server.log.filter((line) => line.includes(`"status":404`))).toHaveLength(
      rounds * requestsPerRound,
    );
  });

  it("does not delay the end of the process", async () => {
    using folder = new ServerFolder();
    folder.log = "stalled";
    await using server = await serve(folder);
    await refusals(server);
    expect(await secondsOf(server.stop())).toBeLessThan(10);
    expect(await server.stop()).toBe(0);
  });
});

describe.concurrent("a log whose disk is full", () => {
  it("stops neither the server nor its end; only what needs an audit line is refused", async () => {
    using folder = new ServerFolder();
    await (await serve(folder)).stop();
    const full = openSync("/dev/full", "w");
    folder.log = full;
    await using server = await serve(folder);
    await refusals(server, 1);
    expect(await exported(server)).toBe(503);
    expect(await secondsOf(server.stop())).toBeLessThan(10);
    expect(await server.stop()).toBe(0);
    closeSync(full);
  });

  it("refuses a command that changes something, with an exit code and a line on standard output", async () => {
    const said = "Failed: could not write the audit line to standard error.\n";
    expect(await createOn("error")).toEqual({ code: 4, said });
  });
});

describe.concurrent("a standard output that is full", () => {
  it("is an error of one line, without a stack trace", async () => {
    const { code, said } = await createOn("output");
    expect([code, said.trim().split("\n").at(-1)]).toEqual([
      1,
      expect.stringMatching(/^Failed: could not write to standard output: ENOSPC/),
    ]);
    expect(said).not.toContain("    at ");
  });
});
