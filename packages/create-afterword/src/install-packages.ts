import { join } from "node:path";
import { run } from "./child.ts";
import { type Machine } from "./machine.ts";
import { packageManager } from "./package-manager.ts";
import { Problem } from "./problem.ts";
import { type Template } from "./templates.ts";

const isWindows = process.platform === "win32";

const ofNetwork =
  /network|registry|getaddrinfo|connect|time(d |-)?out|failed to resolve|certificate|\bE?(40[134]|5\d\d)\b|\bE(AI_|CONN|NET|HOST|NOTFOUND|PIPE)/i;

/** The programs of the folder's own Python. */
export const venvProgram = (name: string) =>
  isWindows ? join(".venv", "Scripts", `${name}.exe`) : join(".venv", "bin", name);

function commands({ manifest }: Template, environment: NodeJS.ProcessEnv): string[][] {
  if (manifest === "package.json") return [[packageManager(environment["npm_config_user_agent"]), "install"]];
  return [
    [isWindows ? "python" : "python3", "-m", "venv", ".venv"],
    [venvProgram("python"), "-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"],
  ];
}

/** Installs what the template's manifest names. @throws Problem */
export async function installPackages(folder: string, template: Template, machine: Machine): Promise<void> {
  const { environment, interrupted } = machine;
  const started = performance.now();
  for (const command of commands(template, environment)) {
    machine.print(`${command.join(" ")} …`);
    try {
      await run(command, { folder, environment }, interrupted);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // The program itself could not be started.
      if (error.cause !== undefined) throw error;
      const toDo = ofNetwork.test(error.message) ? "Check the network and the registry" : "Correct that";
      const words = `Could not install the packages: ${error.message}. ${toDo}, and run it again.`;
      throw new Problem(words, 1, { cause: error });
    }
  }
  machine.print(`Installed in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}
