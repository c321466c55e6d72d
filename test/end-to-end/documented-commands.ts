import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { project } from "../conformance/api/projects.ts";
import { endOf } from "../program-end.ts";
import { serverProgram, type ServerFolder } from "./server-program.ts";

/** The blocks of commands on a page of the documentation. */
export function commandsOf(page: string): string[] {
  const path = fileURLToPath(new URL(`../../docs/${page}.md`, import.meta.url));
  return [...readFileSync(path, "utf8").matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
}

/** Runs commands in a service's folder, where the program has the name that it has once it is installed. */
export async function runCommands(
  commands: string,
  at: ServerFolder,
  environment: Record<string, string> = {},
) {
  const shell = spawn("bash", ["-euo", "pipefail", "-c", commands], {
    cwd: at.path,
    env: { ...process.env, PATH: `${at.file("bin")}:${process.env["PATH"]}`, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { code, out, error } = await endOf(shell);
  expect(code, out + error).toBe(0);
  return { out, error };
}

/** Installs the program and writes the config file of a shop. */
export function prepare(at: ServerFolder): void {
  mkdirSync(at.file("bin"));
  writeFileSync(
    at.file("bin/afterword-server"),
    `#!/bin/sh\nexec ${process.execPath} ${serverProgram} "$@"\n`,
  );
  chmodSync(at.file("bin/afterword-server"), 0o755);
  const projects = [project("shop", { allowedOrigins: ["https://shop.example"] })];
  writeFileSync(at.file("config.json"), JSON.stringify({ rateLimits: false, projects }));
}
