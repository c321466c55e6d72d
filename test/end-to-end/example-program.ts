import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Starts an example as a person would, on any free port; answers where it is. */
export async function startExample(name: string): Promise<{ url: string; stop(): Promise<void> }> {
  const main = fileURLToPath(new URL(`../../examples/${name}/main.ts`, import.meta.url));
  // Whatever ends it, nothing of its service in memory stays on the disk.
  const folder = mkdtempSync(join(tmpdir(), "afterword-example-"));
  const child = spawn(process.execPath, [main], { env: { ...process.env, PORT: "0", TMPDIR: folder } });
  const exit = once(child, "exit");
  const stop = async () => {
    child.kill();
    await exit;
    rmSync(folder, { recursive: true, force: true });
  };
  const output: string[] = [];
  createInterface(child.stderr).on("line", (line) => output.push(line));
  for await (const line of createInterface(child.stdout)) {
    output.push(line);
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url) return { url, stop };
  }
  await stop();
  throw new Error(`examples/${name} printed no address:\n${output.join("\n")}`);
}
