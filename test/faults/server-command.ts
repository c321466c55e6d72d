import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { bundleOnce } from "./bundle-once.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
let program: Promise<string> | undefined;

export interface CommandSurroundings {
  /** Killed after so many changes of files and databases. Default: never. */
  killAfter?: number;
  environment?: Record<string, string>;
  folder?: string;
}

/** Starts `afterword-server` in a process of its own. */
export async function startServerCommand(
  words: readonly string[],
  { killAfter, environment, folder }: CommandSurroundings = {},
) {
  program ??= bundleOnce(at("../../packages/server/src/cli.ts"), "packages/server");
  const killing = killAfter === undefined ? [] : ["--import", at("kill-after.mjs")];
  const child = spawn(process.execPath, [...killing, await program, ...words], {
    cwd: folder,
    env: { ...process.env, ...environment, KILL_AFTER: String(killAfter) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = Promise.all([
    text(child.stderr),
    once(child, "close") as Promise<[number | null, string | null]>,
  ]).then(([error, [code, signal]]) => ({ error, code, signal }));
  return { child, ended };
}

/** Runs a command to its end. */
export async function runServerCommand(words: readonly string[], surroundings: CommandSurroundings = {}) {
  const { child, ended } = await startServerCommand(words, surroundings);
  const [out, end] = await Promise.all([text(child.stdout), ended]);
  return { out, ...end };
}
