import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Starts an example as a person would, on any free port; answers where it is, and keeps what it prints. */
export async function startExample(name: string, environment: NodeJS.ProcessEnv = {}) {
  const main = fileURLToPath(new URL(`../../examples/${name}/main.ts`, import.meta.url));
  // Whatever ends it, nothing of its service in memory stays on the disk.
  const folder = mkdtempSync(join(tmpdir(), "afterword-example-"));
  const env = { ...process.env, PORT: "0", TMPDIR: folder, ...environment };
  const child = spawn(process.execPath, [main], { env });
  const exit = once(child, "exit") as Promise<[number | null]>;
  const stop = async (signal?: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    const [code] = await exit;
    rmSync(folder, { recursive: true, force: true });
    return code;
  };
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on("line", (line) => output.push(line));
  for await (const line of createInterface(child.stdout)) {
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url) return { url, output, stop };
  }
  await stop();
  throw new Error(`examples/${name} printed no address:\n${output.join("\n")}`);
}
