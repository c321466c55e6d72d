import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Child } from "./child.ts";
import { type Choice, isForwarder } from "./choice.ts";
import { type DevServer } from "./templates.ts";
import { type Machine } from "./machine.ts";
import { packageManager, runsPackage } from "./package-manager.ts";
import { Problem } from "./problem.ts";

const server = "@afterword/server";

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

/** Starts `afterword-server dev` with its data in the folder. @throws Problem with what it says is wrong */
async function startDev(folder: string, choice: Choice, machine: Machine): Promise<DevServer> {
  const flags = ["--json", "--port", String(choice.devPort), "--folder", folder];
  if (isForwarder(choice)) flags.push("--no-forward");
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
  return { ...(JSON.parse(line) as DevServer), program };
}

/** Works with the running dev, or with one that is started for the folder, and ended again where the work fails. */
export async function withDev<Result>(
  running: DevServer | undefined,
  folder: string,
  choice: Choice,
  machine: Machine,
  work: (dev: DevServer) => Result,
): Promise<Result> {
  const dev = running ?? (await startDev(folder, choice, machine));
  try {
    return work(dev);
  } catch (error) {
    await dev.program?.end();
    throw error;
  }
}
