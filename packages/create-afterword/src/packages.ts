import { join } from "node:path";
import { type Creation, type Machine } from "./creation.ts";
import { isWindows, Problem } from "./problem.ts";

/** The package manager that runs `create`: all of them set it, as in "pnpm/10.1.0 npm/? node/v24 linux x64". */
export function packageManager({ environment }: Machine): Creation["manager"] {
  const [name] = (environment["npm_config_user_agent"] ?? "").split("/");
  return (["pnpm", "yarn", "bun"] as const).find((one) => one === name) ?? "npm";
}

/** How each package manager runs the program of a package that is not installed. */
export const runsPackage = { npm: "npx -y", pnpm: "pnpm dlx", yarn: "yarn dlx", bun: "bunx" };

/** One attempt, where package managers by default try for up to two minutes. */
const oneAttempt = {
  npm_config_fetch_retries: "0",
  npm_config_fetch_timeout: "5000",
  pnpm_config_fetch_retries: "0",
  pnpm_config_fetch_timeout: "5000",
  YARN_HTTP_RETRY: "0",
  YARN_HTTP_TIMEOUT: "5000",
  BUN_CONFIG_HTTP_RETRY_COUNT: "0",
  PIP_RETRIES: "0",
  PIP_TIMEOUT: "5",
};

/**
 * The variables for package managers. Where their registry does not answer, they make one attempt: without a network they
 * then fail at once, and behind a proxy of their own they work.
 */
export async function managerEnvironment(machine: Machine): Promise<NodeJS.ProcessEnv> {
  const { environment, programs } = machine;
  const manager = packageManager(machine);
  // Bun does not say which registry it is set to.
  if (manager === "bun") return environment;
  const registry = await programs.start([manager, "config", "get", "registry"], machine).firstLine();
  if (!registry?.startsWith("http")) return environment;
  const request = { method: "HEAD", signal: AbortSignal.timeout(3000) };
  const reply = await machine.fetch(registry.trim(), request).catch(() => undefined);
  return reply ? environment : { ...oneAttempt, ...environment };
}

const ofNetwork =
  /network|registry|getaddrinfo|connect|time(d |-)?out|failed to resolve|certificate|\bE?(40[134]|5\d\d)\b|\bE(AI_|CONN|NET|HOST|NOTFOUND|PIPE)/i;

/** The programs of the folder's own Python. */
export const venvProgram = (name: string) =>
  isWindows ? join(".venv", "Scripts", `${name}.exe`) : join(".venv", "bin", name);

const ofPython = [
  [isWindows ? "python" : "python3", "-m", "venv", ".venv"],
  [venvProgram("python"), "-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"],
];

/** Installs what the template's manifest names. @throws Problem */
export async function installPackages(creation: Creation): Promise<void> {
  const { files, interrupted, manager, print, programs, template } = creation;
  const started = performance.now();
  for (const command of template.manifest === "package.json" ? [[manager, "install"]] : ofPython) {
    print(`${command.join(" ")} …`);
    const program = programs.start(command, { ...creation, folder: files.folder });
    const code = await program.ended;
    interrupted.throwIfAborted();
    if (code === 0) continue;
    const complaint = program.complaint();
    const toDo = ofNetwork.test(complaint) ? "Check the network and the registry" : "Correct that";
    throw new Problem(`Could not install the packages: ${complaint}. ${toDo}, and run it again.`);
  }
  print(`Installed in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}
