import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { ApiClient } from "@afterword/conformance";
import { startServer, type RunningServer, type ServerConfig } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kitConfig } from "../conformance/api/contract.suite.ts";

const built = fileURLToPath(new URL("../../packages/conformance/dist/cli.js", import.meta.url));
const [keys] = kitConfig.projects;

let server: RunningServer;
beforeAll(async () => void (server = await startServer({ config: kitConfig as ServerConfig })));
afterAll(() => server.close());

function start(...args: string[]) {
  const { publishableKey, secretKey } = keys!;
  const environment = {
    ...process.env,
    AFTERWORD_BASE_URL: server.url,
    AFTERWORD_PUBLISHABLE_KEY: publishableKey,
    AFTERWORD_SECRET_KEY: secretKey,
  };
  const child = spawn(process.execPath, [built, ...args], { env: environment });
  return { child, out: text(child.stdout), error: text(child.stderr), end: once(child, "exit") };
}

const responses = async () => (await new ApiClient(server.url, keys!).export()).json.count;

describe("the built afterword-conformance", () => {
  it("ends at Ctrl-C with exit code 2, in the middle of a clause, and erases what it has stored", async () => {
    const { child, error, end } = start();
    await expect.poll(responses, { timeout: 20_000 }).toBeGreaterThan(0);
    child.kill("SIGINT");
    expect([await end, await error]).toEqual([
      [2, null],
      "afterword-conformance: interrupted; what the kit has stored is erased\n",
    ]);
    expect(await responses()).toBe(0);
  });
});
