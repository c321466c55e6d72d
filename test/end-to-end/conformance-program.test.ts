import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ApiClient } from "@afterword/conformance";
import { startServer, type RunningServer, type ServerConfig } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kitConfig } from "../conformance/api/contract.suite.ts";
import { endOf } from "../program-end.ts";

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
  return { child, end: endOf(child) };
}

const responses = async () => (await new ApiClient(server.url, keys!).export()).json.count;

describe("the built afterword-conformance", () => {
  it("ends at Ctrl-C with exit code 2, in the middle of a clause, and erases what it has stored", async () => {
    const { child, end } = start();
    await expect.poll(responses, { timeout: 20_000 }).toBeGreaterThan(0);
    child.kill("SIGINT");
    const error = "afterword-conformance: interrupted; what the kit has stored is erased\n";
    expect(await end).toMatchObject({ code: 2, error });
    expect(await responses()).toBe(0);
  });
});
