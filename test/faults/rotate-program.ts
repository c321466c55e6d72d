import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { bundleOnce } from "./bundle-once.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
let program: Promise<string> | undefined;

/** Runs `key rotate-master` in a process of its own; killed after so many changes of files and databases, if any. */
export async function rotate(
  database: string,
  { killAfter, masterKey }: { killAfter?: number; masterKey?: string } = {},
) {
  program ??= bundleOnce(at("../../reference-server/src/cli.ts"), "reference-server");
  const killing = killAfter === undefined ? [] : ["--import", at("kill-after.mjs")];
  const words = [...killing, await program, "key", "rotate-master", "--db", database];
  const child = spawn(process.execPath, words, {
    env: {
      ...process.env,
      KILL_AFTER: String(killAfter),
      ...(masterKey !== undefined && { AFTERWORD_MASTER_KEY: masterKey }),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [error, [code, signal]] = await Promise.all([
    text(child.stderr),
    once(child, "exit") as Promise<[number | null, string | null]>,
  ]);
  return { error, code, signal };
}
