import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../conformance/api/api-client.ts";
import { keysOf, project } from "../conformance/api/projects.ts";
import { serverProgram, ServerFolder, type ServerProgram } from "./server-program.ts";

// The commands of deploy/README.md, as they stand there.

const document = readFileSync(fileURLToPath(new URL("../../deploy/README.md", import.meta.url)), "utf8");

/** The blocks of commands below a heading. */
function commandsOf(heading: string): string[] {
  const section = document.split(`\n## ${heading}\n`)[1]!.split("\n## ")[0]!;
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
}

const folder = new ServerFolder();
let service: ServerProgram;
let shop: ApiClient;
/** With the secret key that the document creates. */
let renewed: ApiClient;

/** Runs commands in the service's folder, where the program has the name that it has once it is installed. */
async function run(commands: string, environment: Record<string, string> = {}) {
  const shell = spawn("bash", ["-euo", "pipefail", "-c", commands], {
    cwd: folder.path,
    env: { ...process.env, PATH: `${folder.file("bin")}:${process.env["PATH"]}`, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, error, [code]] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, "exit") as Promise<[number | null]>,
  ]);
  expect(code, out + error).toBe(0);
  return { out, error };
}

beforeAll(async () => {
  mkdirSync(folder.file("bin"));
  mkdirSync(folder.file("backups"));
  writeFileSync(
    folder.file("bin/afterword-server"),
    `#!/bin/sh\nexec ${process.execPath} ${serverProgram} "$@"\n`,
  );
  chmodSync(folder.file("bin/afterword-server"), 0o755);
  const projects = [project("shop", { allowedOrigins: ["https://shop.example"] })];
  writeFileSync(folder.file("config.json"), JSON.stringify({ rateLimits: false, projects }));
  const flags = ["--config", "config.json", "--erasure-log", "erasures.jsonl", "--admin-port", "0"];
  service = await folder.serve(...flags);
  shop = new ApiClient(service.url, keysOf("shop"));
  for (const person of ["ada", "bob", "cleo"]) await shop.answer("shop-nps", person);
});
afterAll(async () => {
  await service.stop();
  folder[Symbol.dispose]();
});

describe("the document on running Afterword", () => {
  it("makes a backup while the server runs, which the metrics know", async () => {
    await run(commandsOf("Backups")[0]!);
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
    expect(Number(/^afterword_backup_age_seconds (.*)$/m.exec(metrics)![1])).toBeLessThan(60);
  });

  it("has a restore drill that repeats later erasures and finds nothing wrong, beside the running service", async () => {
    await shop.erase({ respondentId: "bob" });
    const { out } = await run(commandsOf("Restore drill")[0]!);
    expect(out).toMatch(/\b1 erasure/);
    expect(out).toContain("All is well.");
    expect(out.trim().split("\n").at(-1)!.trim()).toBe("2");
    expect(existsSync(folder.file("drill/afterword.db"))).toBe(true);
    await shop.answer("shop-nps", "dan");
  });

  it("replaces a secret key while both are valid", async () => {
    const [create, revoke] = commandsOf("Rotating keys");
    const { out } = await run(create!);
    const { key, id } = JSON.parse(readFileSync(folder.file("new-key.json"), "utf8")) as Record<
      string,
      string
    >;
    expect(out).toContain(id);
    renewed = new ApiClient(service.url, { ...keysOf("shop"), secretKey: key! });
    await expect.poll(async () => (await renewed.pending()).status, { timeout: 30_000 }).toBe(200);
    expect((await shop.pending()).status).toBe(200);
    const listed = await run("afterword-server key list shop --json");
    const keys = JSON.parse(listed.out) as { keys: { id: string; kind: string }[] };
    const old = keys.keys.find((one) => one.kind === "secret" && one.id !== id)!;
    await run(revoke!, { OLD_KEY_ID: old.id });
    await expect.poll(async () => (await shop.pending()).status, { timeout: 30_000 }).toBe(401);
    expect((await renewed.pending()).status).toBe(200);
  });

  it("rotates the master key of a running service, whose tokens of before stay valid", async () => {
    const token = await renewed.boundToken("shop-nps", { respondentId: "eve", sessionId: "session-1" });
    await run(commandsOf("Rotating keys")[2]!);
    const keys = () => readFileSync(folder.file("afterword.db.key"), "utf8").trim().split(/\s+/).length;
    expect(keys()).toBe(2);
    const replied = await shop.submit({ showToken: token, surveyId: "shop-nps", rating: 9 });
    expect(replied.status).toBe(201);
  });
});
