import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Child } from "./child.ts";
import { type DevServer } from "./find-dev.ts";
import { type Machine } from "./machine.ts";
import { packageManager, runsPackage } from "./package-manager.ts";
import { Problem } from "./problem.ts";

const server = "@afterword/reference-server";

/** The program as it is installed in the folder, or else from the registry. */
function devCommand(folder: string, { environment, version }: Machine): string[] {
  try {
    const manifest = createRequire(join(folder, "package.json")).resolve(`${server}/package.json`);
    const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
    return [process.execPath, join(dirname(manifest), bin["afterword-server"]!)];
  } catch {
    const manager = packageManager(environment["npm_config_user_agent"]);
    return [...runsPackage[manager], `${server}@${version}`];
  }
}

export interface StartedDev extends DevServer {
  program: Child;
}

/** Starts `afterword-server dev` with its data in the folder. @throws Problem with what it says is wrong */
export async function startDev(
  folder: string,
  { port, isForwarding }: { port: number; isForwarding: boolean },
  machine: Machine,
): Promise<StartedDev> {
  const flags = ["--json", "--port", String(port), "--folder", folder];
  if (!isForwarding) flags.push("--no-forward");
  const program = new Child([...devCommand(folder, machine), "dev", ...flags], {
    folder,
    environment: machine.environment,
  });
  const end = () => void program.end();
  machine.interrupted.addEventListener("abort", end, { once: true });
  const line = await program.firstLine();
  machine.interrupted.removeEventListener("abort", end);
  machine.interrupted.throwIfAborted();
  if (!line?.startsWith("{")) {
    await program.ended;
    throw new Problem(`Could not start afterword-server dev: ${program.complaint()}.`, 1);
  }
  const { url, publishableKey, secretKey } = JSON.parse(line) as DevServer;
  return { url, publishableKey, secretKey, program };
}
