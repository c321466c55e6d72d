import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A program that runs JavaScript: its command and what stands before the name of the script; none is not there. */
export interface Runtime {
  name: string;
  command?: string[];
  more?: string[];
}

/** The commands that start another runtime: `npx -y bun@…` and the like, which the job of the runtimes sets. */
function commandOf(name: string, variable: string): string[] | undefined {
  const command = process.env[variable];
  if (!command) console.warn(`skipped: no ${name}, since ${variable} is not set; it may be "npx -y ${name}"`);
  return command?.split(" ");
}

const denoPermissions = ["--allow-net", "--allow-env", "--allow-read", "--allow-write"];

export const runtimes: Runtime[] = [
  { name: "Node", command: [process.execPath] },
  { name: "Bun", command: commandOf("bun", "BUN_COMMAND"), more: ["run"] },
  {
    name: "Deno",
    command: commandOf("deno", "DENO_COMMAND"),
    more: ["run", "--no-lock", "--node-modules-dir=manual", ...denoPermissions],
  },
];

/** Runs a script and answers the JSON that it prints. */
export async function runIn(
  { command = [], more = [] }: Runtime,
  script: URL,
  given: readonly string[],
  variables: Record<string, string>,
): Promise<Record<string, unknown>> {
  const [program, ...args] = [...command, ...more, fileURLToPath(script), ...given];
  const { stdout } = await promisify(execFile)(program!, args, { env: { ...process.env, ...variables } });
  return JSON.parse(stdout) as Record<string, unknown>;
}
