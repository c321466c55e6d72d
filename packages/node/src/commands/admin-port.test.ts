import { serveLocally } from "@afterword/command-line/local-server.fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../client/service.fixture.ts";
import { runInShell, type RunOptions } from "./shell.fixture.ts";

let service: TestService;
beforeAll(async () => void (service = await startTestService()));
afterAll(() => service[Symbol.asyncDispose]());

/** A sink's service that answers everything with this status. */
function aSinkService(status: number) {
  return serveLocally((_, response) =>
    response.writeHead(status, { "content-type": "application/json" }).end('{"id":"1"}'),
  );
}

const forward = (args: readonly string[], options: RunOptions = {}) =>
  runInShell(["forward", "--base-url", service.url, ...args], {
    ...options,
    environment: { AFTERWORD_SECRET_KEY: service.secretKey, ...options.environment },
  });

/** Runs the forwarder with `--admin-port 0` while the test looks at its pages, then stops it. */
async function whileForwarding(
  args: readonly string[],
  environment: Record<string, string>,
  look: (url: string) => Promise<void>,
) {
  const stop = new AbortController();
  const { promise: url, resolve } = Promise.withResolvers<string>();
  const onError = (text: string) => {
    const found = /^health checks and metrics on (\S+)$/m.exec(text);
    if (found) resolve(found[1]!);
  };
  const options = { environment, interrupted: stop.signal, onError };
  const run = forward([...args, "--admin-port", "0", "--poll-interval", "20ms"], options);
  try {
    await look(await url);
  } finally {
    stop.abort();
  }
  return { url: await url, ...(await run) };
}

const statusOf = async (url: string) => (await fetch(url)).status;

describe("afterword forward --admin-port", () => {
  it("serves health, readiness and metrics on loopback until the forwarder has stopped", async () => {
    await using sink = await aSinkService(200);
    const environment = { LANGFUSE_PUBLIC_KEY: "pk-1", LANGFUSE_BASE_URL: sink.url };
    const { url, exitCode } = await whileForwarding(["--sink", "langfuse"], environment, async (url) => {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: "ok" });
      await service.rate();
      const delivered = async () => (await (await fetch(`${url}/metrics`)).text()).split("\n");
      await expect
        .poll(delivered, { timeout: 10_000 })
        .toContain('afterword_forwarder_delivered_total{sink="langfuse"} 1');
      expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({
        status: "ready",
        state: "running",
      });
      expect(await statusOf(`${url}/elsewhere`)).toBe(404);
      expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405);
      expect((await fetch(`${url}/metrics`, { method: "HEAD" })).status).toBe(200);
    });
    expect(exitCode).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
  });

  it("refuses a port in use, and what cannot be meant, by one line and 2, and delivers nothing", async () => {
    await using taken = await aSinkService(200);
    const { port } = new URL(taken.url);
    const id = await service.rate();
    const cases: [string[], string][] = [
      [["--admin-port", port], `Port ${port} on 127.0.0.1 is in use; choose another with --admin-port.`],
      [
        ["--admin-port", "0", "--admin-host", "192.0.2.1"],
        "This machine does not have the address 192.0.2.1",
      ],
      [["--admin-port", "70000"], "--admin-port is 70000; it must be a whole number from 0 to 65535."],
      [["--admin-port", "no"], "--admin-port is NaN"],
      [["--admin-port", ""], "--admin-port is NaN"],
      [["--admin-host", "127.0.0.1"], "--admin-host needs --admin-port."],
      [["--admin-port", "0", "--once"], "--admin-port is for a forwarder that keeps running"],
    ];
    for (const [args, message] of cases) {
      const run = await forward(["--out", "never.jsonl", ...args]);
      expect(run.errors).toMatch(/^afterword: .*\n$/);
      expect(run.errors).toContain(message);
      expect(run.exitCode).toBe(2);
    }
    const pending = await forward(["--out", "never.jsonl", "--dry-run"]);
    expect(pending.json()).toContainEqual(expect.objectContaining({ id }));
  });
});
