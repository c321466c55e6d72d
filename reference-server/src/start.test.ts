import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ServerConfig } from "./config/server-config.ts";
import { startServer, type StartOptions } from "./start.ts";

const look = { presentation: "corner", trigger: "manual", status: "active" } as const;
const survey = { id: "sat", slug: "sat", type: "csat", question: "How was it?", ...look } as const;
const config: ServerConfig = {
  projects: [{ id: "shop", name: "Shop", allowedOrigins: ["*"], surveys: [survey] }],
};

function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "afterword-core-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "a.db");
}

describe("the reference server", () => {
  it("keeps a file's answers for its next start, which needs no config", async () => {
    const database = databaseFile();
    const first = await startServer({ config, database });
    const { secretKey } = first.projects[0]!;
    await first.seed("shop", [{ rating: 5 }]);
    await first.close();
    await using second = await startServer({ database });
    const headers = { authorization: `Bearer ${secretKey}` };
    const queue = await fetch(`${second.url}/v1/sdk/pending-scores`, { headers });
    expect(await queue.json()).toMatchObject({ scores: [{ surveyId: "sat", rating: 5 }] });
  });

  it("holds its file alone", async () => {
    const database = databaseFile();
    await using first = await startServer({ database });
    await expect(startServer({ database })).rejects.toThrow(/in use|another server/i);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  });

  it("answers requests in flight before it stops, and stops once however often it is told to", async () => {
    const server = await startServer({ config });
    const body = JSON.stringify({ key: server.projects[0]!.publishableKey });
    const reply = fetch(`${server.url}/v1/sdk/bootstrap`, { method: "POST", body });
    await new Promise((resolve) => setImmediate(resolve));
    const stopped = Promise.all([server.close(), server.close()]);
    expect([200, undefined]).toContain((await reply.catch(() => undefined))?.status);
    await stopped;
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it.each([
    { admin: { port: 0 } },
    { auditFile: "audit.jsonl" },
    { auditTrail: {} },
    { drainDelayInMs: 5 },
    { erasureLog: "erasures.jsonl" },
    { networkDisk: "allow" },
    { retention: {} },
  ])("refuses %j, which only @afterword/server heeds", async (option) => {
    const [name] = Object.keys(option);
    await expect(startServer({ ...option } as StartOptions)).rejects.toThrow(
      `The option ${name} is one of startServer of @afterword/server.`,
    );
  });

  it("names @afterword/server for PostgreSQL", async () => {
    await expect(startServer({ database: "postgres://localhost/a" })).rejects.toThrow("@afterword/server");
  });

  it("refuses several nodes, and leaves no file behind", async () => {
    await expect(startServer({ config: { projects: [], nodes: 2 } })).rejects.toMatchObject({
      mistakes: [{ path: "nodes" }],
    });
  });
});
