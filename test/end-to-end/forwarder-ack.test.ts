import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../conformance/api/api-client.ts";
import { keysOf, project } from "../conformance/api/projects.ts";
import { ServerFolder, type ServerProgram } from "./server-program.ts";

// Both published programs: an operator gives up scores that no sink takes, and reads why later.

const program = fileURLToPath(new URL("../../packages/node/dist/cli.js", import.meta.url));
const folder = new ServerFolder();
let server: ServerProgram;
let client: ApiClient;

beforeAll(async () => {
  writeFileSync(folder.file("config.json"), JSON.stringify({ rateLimits: false, projects: [project("p")] }));
  server = await folder.serve("--config", "config.json", "--db", "a.db");
  client = new ApiClient(server.url, keysOf("p"));
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

async function rate(person: string): Promise<string> {
  const showToken = await client.boundToken("p-nps", { respondentId: person, sessionId: "session-1" });
  const { json } = await client.submit({ showToken, surveyId: "p-nps", rating: 3 });
  return json.id as string;
}

function afterword(...words: string[]) {
  const env = {
    PATH: process.env["PATH"],
    AFTERWORD_SECRET_KEY: client.keys.secretKey,
    AFTERWORD_BASE_URL: server.url,
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: "utf8",
    env,
  });
  return { status, stdout, stderr };
}

async function failures(): Promise<unknown> {
  const { out } = await folder.run("results", "--project", "p", "--db", "a.db", "--json");
  return (JSON.parse(out) as { queue: { failures: unknown } }).queue.failures;
}

describe("afterword ack --state failed --reason", () => {
  it("shows the reason in the results' queue, and the newest one after a second ack", async () => {
    const ids = [await rate("ada"), await rate("bob")];
    const given = afterword("ack", "--state", "failed", "--reason", "the run was deleted", ...ids);
    expect(given).toEqual({ status: 0, stdout: "marked 2 as failed, updated 2\n", stderr: "" });
    expect(await failures()).toEqual([{ reason: "the run was deleted", count: 2 }]);
    const again = afterword("ack", "--state", "failed", "--reason", "the project was deleted", ids[0]!);
    expect(again.stdout).toBe("marked 1 as failed, updated 0\n");
    expect(await failures()).toEqual([
      { reason: "the project was deleted", count: 1 },
      { reason: "the run was deleted", count: 1 },
    ]);
    const table = await folder.run("results", "--project", "p", "--db", "a.db");
    expect(table.out).toContain("the project was deleted");
  });
});
