import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runIn } from "./runtimes.ts";

const program = fileURLToPath(new URL("../../packages/server/dist/cli.js", import.meta.url));

/** The Node that a command such as `npx -y node@22.14.0` starts. */
function nodeOf(variable: string): string | undefined {
  const [command, ...words] = process.env[variable]?.split(" ") ?? [];
  return command && execFileSync(command, [...words, "-p", "process.execPath"], { encoding: "utf8" }).trim();
}

const oldest = nodeOf("OLDEST_NODE_COMMAND");
const refused = nodeOf("REFUSED_NODE_COMMAND");

const secretKey = `aw_sk_${"o".repeat(43)}`;
const survey = {
  id: "csat",
  slug: "csat",
  type: "csat",
  question: "How was it?",
  presentation: "corner",
  trigger: "auto",
};
const project = {
  id: "p",
  name: "P",
  allowedOrigins: ["*"],
  secretKey,
  surveys: [{ ...survey, status: "active" }],
};

describe("the oldest Node", () => {
  it.skipIf(!oldest)("runs the built server on SQLite and the built client", async () => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-oldest-"));
    const config = join(folder, "config.json");
    writeFileSync(config, JSON.stringify({ projects: [project] }));
    const words = ["serve", "--json", "--port", "0", "--config", config, "--db", join(folder, "a.db")];
    const server = spawn(oldest!, [program, ...words], { stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(server, "exit");
    try {
      const [line] = (await once(createInterface(server.stdout), "line")) as [string];
      const { url } = JSON.parse(line) as { url: string };
      const script = new URL("mint-once.mjs", import.meta.url);
      const variables = { AFTERWORD_BASE_URL: url, AFTERWORD_SECRET_KEY: secretKey };
      const minted = { tokens: { csat: expect.stringMatching(/^st2\./) }, gated: false };
      expect(await runIn({ name: "oldest", command: [oldest!] }, script, ["ada"], variables)).toMatchObject({
        minted,
        refused: { isApiError: true, status: 401 },
      });
    } finally {
      server.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(!refused)(
    "is newer than one on which SQLite crashes, where the program ends with one line",
    () => {
      const { status, stderr } = spawnSync(refused!, [program, "serve", "--db", ":memory:"], {
        encoding: "utf8",
      });
      expect(stderr).toMatch(/^The Afterword server needs Node 22\.14 or newer; this is v22\.13\.\d+\.\n$/);
      expect(status).toBe(2);
    },
  );
});
