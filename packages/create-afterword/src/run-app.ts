import { relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Child } from "./child.ts";
import { type Choice, devFlags } from "./choice.ts";
import { type Created } from "./create-app.ts";
import { shellWord } from "./folder-name.ts";
import { venvProgram } from "./install-packages.ts";
import { type Machine } from "./machine.ts";
import { packageManager, runsPackage } from "./package-manager.ts";
import { Problem } from "./problem.ts";

/** Between two looks at whether the app answers. */
const eachMs = 100;

function appCommand(
  { template }: Choice,
  environment: NodeJS.ProcessEnv,
  port: number | undefined,
): string[] {
  if (template.manifest === "package.json")
    return [packageManager(environment["npm_config_user_agent"]), "run", "dev"];
  return [venvProgram("uvicorn"), "main:app", "--port", String(port), "--env-file", template.envFile];
}

/** How to start the app later, and in another terminal the server for development, unless another folder's runs. */
export function nextSteps(choice: Choice, { folder, dev }: Created, machine: Machine): string {
  const { environment, version } = machine;
  const place = relative(machine.folder, folder);
  const go = place === "" ? "  " : `  cd ${shellWord(place)} && `;
  const app = go + appCommand(choice, environment, choice.port).join(" ");
  if (!dev.program) return `while the afterword-server dev at ${dev.url} runs:\n${app}`;
  const manager = packageManager(environment["npm_config_user_agent"]);
  const ofPython = [...runsPackage[manager], `@afterword/server@${version} dev${devFlags(choice)}`];
  const isNode = choice.template.manifest === "package.json";
  return `in two terminals:\n${go}${isNode ? `${manager} run afterword` : ofPython.join(" ")}\n${app}`;
}

/** Resolves once the app answers, or the signal aborts. */
async function waitFor(url: string, signal: AbortSignal, { fetch }: Machine): Promise<void> {
  while (!signal.aborted) {
    const reply = await fetch(url, { signal }).catch(() => undefined);
    if (reply) return;
    await setTimeout(eachMs);
  }
}

function printAddresses(choice: Choice, created: Created, machine: Machine): void {
  const app = choice.port
    ? `Your app:   http://localhost:${choice.port}/  (ask the agent, and rate it)`
    : "Your worker runs: rate a survey at the address below, and its score arrives here.";
  machine.print(`\n${app}`);
  machine.print(`Afterword:  ${created.dev.url}/  (what happens, the score, and the results)`);
  const ended = created.dev.program ? "both" : "it";
  machine.print(`Ctrl-C ends ${ended}. Later, ${nextSteps(choice, created, machine)}\n`);
}

/** Starts the app, says where it is, and stays until it ends or the program is interrupted. */
export async function runApp(choice: Choice, created: Created, machine: Machine): Promise<void> {
  const { folder, dev } = created;
  const environment = { ...machine.environment, ...(choice.port && { PORT: String(choice.port) }) };
  const app = new Child(appCommand(choice, environment, choice.port), { folder, environment, isShown: true });
  const ending = new AbortController();
  const end = () => ending.abort();
  app.ended.then(end, end);
  const signal = AbortSignal.any([ending.signal, machine.interrupted]);
  const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
  try {
    if (choice.port) await waitFor(`http://localhost:${choice.port}/`, signal, machine);
    if (!signal.aborted) {
      printAddresses(choice, created, machine);
      await ended;
    }
    if (machine.interrupted.aborted) return;
    const code = await app.ended;
    throw new Problem(`The app in ${folder} ended with exit code ${code}; its files are complete.`, 1);
  } finally {
    await app.end();
    await dev.program?.end();
  }
}
