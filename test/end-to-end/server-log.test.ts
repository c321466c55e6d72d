import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ServerFolder, serverProgram, type ServerProgram } from "./server-program.ts";

const config = {
  rateLimits: false,
  projects: [{ id: "shop", name: "Shop", allowedOrigins: [], surveys: [] }],
};

const serve = (folder: ServerFolder) => {
  writeFileSync(folder.file("config.json"), JSON.stringify(config));
  return folder.serve("--config", "config.json", "--db", ":memory:", "--log-requests", "all");
};

/** Far more lines than any pipe holds, so that nothing but what the process keeps can hold the last ones. */
async function refusals({ url }: ServerProgram): Promise<void> {
  for (let round = 0; round < 80; round++) {
    const replies = await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/nowhere`)));
    await Promise.all(replies.map((reply) => reply.arrayBuffer()));
  }
}

async function exported({ url, projects }: ServerProgram): Promise<number> {
  const headers = { "x-service-key": projects[0]!.secretKey! };
  const reply = await fetch(`${url}/v1/privacy/export`, { headers });
  await reply.arrayBuffer();
  return reply.status;
}

async function secondsOf(stop: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await stop;
  return (performance.now() - begun) / 1000;
}

describe("a log whose reader stalls", () => {
  it("delays no reply, and its audit line arrives when the reader continues", async () => {
    using folder = new ServerFolder();
    folder.log = "stalled";
    await using server = await serve(folder);
    await refusals(server);
    expect(await exported(server)).toBe(200);
    server.readLog();
    await expect.poll(() => server.log.at(-2)).toContain(`"event":"audit"`);
    // Beside the requests: what the config file has changed, the export, and its key.
    expect(server.log).toHaveLength(80 * 50 + 3);
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

describe("a log whose disk is full", () => {
  it("stops neither the server nor its end", async () => {
    using folder = new ServerFolder();
    const full = openSync("/dev/full", "w");
    folder.log = full;
    await using server = await serve(folder);
    closeSync(full);
    await refusals(server);
    expect(await exported(server)).toBe(200);
    expect(await secondsOf(server.stop())).toBeLessThan(10);
    expect(await server.stop()).toBe(0);
  });
});

describe("a standard output that is full", () => {
  it("is an error of one line, without a stack trace", () => {
    using folder = new ServerFolder();
    const full = openSync("/dev/full", "w");
    const words = [serverProgram, "project", "create", "shop", "--json"];
    const { status, stderr } = spawnSync(process.execPath, words, {
      cwd: folder.path,
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    expect([status, stderr.trim().split("\n").at(-1)]).toEqual([
      1,
      expect.stringMatching(/^Failed: could not write to standard output: ENOSPC/),
    ]);
    expect(stderr).not.toContain("    at ");
  });
});
