import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRatedService } from "./rated-service.ts";

const script = fileURLToPath(new URL("mint-once.mjs", import.meta.url));

/** The commands that start another runtime: `npx -y bun@…` and the like, which the job of the runtimes sets. */
function commandOf(name: string, variable: string): string[] | undefined {
  const command = process.env[variable];
  if (!command) console.warn(`skipped: no ${name}, since ${variable} is not set; it may be "npx -y ${name}"`);
  return command?.split(" ");
}

const runtimes = [
  { name: "Node", command: [process.execPath] },
  { name: "Bun", command: commandOf("bun", "BUN_COMMAND"), more: ["run"] },
  {
    name: "Deno",
    command: commandOf("deno", "DENO_COMMAND"),
    more: ["run", "--no-lock", "--node-modules-dir=manual", "--allow-net", "--allow-env", "--allow-read"],
  },
];

let service: Awaited<ReturnType<typeof startRatedService>>;
beforeAll(async () => void (service = await startRatedService()));
afterAll(async () => await service.close());

async function runIn(command: string[], respondentId: string): Promise<Record<string, unknown>> {
  const [program, ...args] = command as [string, ...string[]];
  const { stdout } = await promisify(execFile)(program, [...args, script, respondentId], {
    env: { ...process.env, ...service.variables },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.each(runtimes)("the built client in $name", ({ name, command, more = [] }) => {
  it.skipIf(command === undefined)(
    "mints, answers a page, reads the queue and knows its errors",
    async () => {
      const first = await runIn([...command!, ...more], `first-${name}`);
      const token = expect.stringMatching(/^st2\./);
      expect(first).toMatchObject({
        runtime: name,
        minted: { tokens: { csat: token }, gated: false },
        page: [200, { tokens: { csat: token }, sessionId: "session-of-a-run" }],
        refused: { isApiError: true, status: 401 },
      });
      await service.rateOnce((first["minted"] as { tokens: Record<string, string> }).tokens["csat"]!);
      expect((await runIn([...command!, ...more], `second-${name}`))["pending"]).toContain(4);
    },
  );
});
