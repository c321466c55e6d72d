import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Starts an example as a person would, on any free port; answers where it is. */
export async function startExample(name: string): Promise<{ url: string; stop(): Promise<void> }> {
  const main = fileURLToPath(new URL(`../../examples/${name}/main.ts`, import.meta.url));
  const child = spawn(process.execPath, [main], { env: { ...process.env, PORT: "0" } });
  const exit = once(child, "exit");
  const output: string[] = [];
  createInterface(child.stderr).on("line", (line) => output.push(line));
  for await (const line of createInterface(child.stdout)) {
    output.push(line);
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url) return { url, stop: async () => void (child.kill(), await exit) };
  }
  throw new Error(`examples/${name} printed no address:\n${output.join("\n")}`);
}
