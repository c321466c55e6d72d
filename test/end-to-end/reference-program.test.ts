import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../../reference-server/dist/cli.js", import.meta.url));
let folder: string;
const file = (name: string, content?: unknown) => {
  const path = join(folder, name);
  if (content !== undefined) writeFileSync(path, JSON.stringify(content));
  return path;
};

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "afterword-program-"))));
afterAll(() => rmSync(folder, { recursive: true }));

describe("afterword-reference-server", () => {
  it("prints one line of JSON, answers with the keys in it, and exits with 0 at SIGTERM", async () => {
    const shop = { id: "shop", name: "Shop", allowedOrigins: ["*"], surveys: [] };
    const words = ["--config", file("config.json", { projects: [shop] }), "--port", "0", "--json"];
    const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const { url, projects } = JSON.parse(line) as { url: string; projects: [{ publishableKey: string }] };
    const definitions = await fetch(`${url}/v1/definitions?key=${projects[0].publishableKey}`);
    expect(await definitions.json()).toMatchObject({ surveys: [] });
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it.each([
    ["--nope", /^Unknown option '--nope'/],
    ["--port 70000", /^--port 70000: pass a number from 0 to 65535; 0 picks a free port\.\n$/],
    ["--config missing.json", /^Could not read missing\.json: ENOENT/],
    [
      "--db postgres://localhost/a",
      /^This server is for SQLite\. For PostgreSQL, take @afterword\/server\.\n$/,
    ],
    ["--db missing/a.db", /^The folder of the database missing\/a\.db does not exist\.\n$/],
    ["--host 192.0.2.1 --port 0", /^This machine does not have the address 192\.0\.2\.1: .* --host/],
  ])("%s exits with 2 and says what to do", (words, message) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words.split(" ")], {
      encoding: "utf8",
      cwd: folder,
    });
    expect(stderr).toMatch(message);
    expect([status, stdout]).toEqual([2, ""]);
  });
});
