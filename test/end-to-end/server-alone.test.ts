import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const programs = [
  ["packages/server", "serve --db :memory: --port 0 --json"],
  ["reference-server", "--port 0 --json"],
] as const;

it.each(programs)("%s starts with its dependencies alone, without an optional peer", async (name, words) => {
  const source = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "afterword-alone-"));
  cpSync(join(source, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(source, "package.json"), join(folder, "package.json"));
  const { dependencies } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(source, "node_modules", name), link);
  }
  const child = spawn(process.execPath, [join(folder, "dist/cli.js"), ...words.split(" ")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [
    string | number,
  ];
  const { url } = JSON.parse(String(line)) as { url: string };
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  rmSync(folder, { recursive: true });
});
