import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Child } from "./child.ts";
import { type Choice, type Created } from "./create-app.ts";
import { venvProgram } from "./install-packages.ts";
import { type Machine } from "./machine.ts";
import { packageManager } from "./package-manager.ts";
import { Problem } from "./problem.ts";

function appCommand({ template }: Choice, environment: NodeJS.ProcessEnv, port: number | undefined): string[] {
  if (template.manifest === "package.json")
    return [packageManager(environment["npm_config_user_agent"]), "run", "dev"];
  return [venvProgram("uvicorn"), "main:app", "--port", String(port), "--env-file", template.envFile];
}

/** How to start both later. */
export function nextSteps(choice: Choice, { folder }: Created, machine: Machine): string[] {
  const place = relative(machine.folder, folder);
  const go = place === "" ? [] : [`cd ${place}`];
  if (choice.template.manifest === "package.json") {
    const manager = packageManager(machine.environment["npm_config_user_agent"]);
    return [...go, `${manager} run afterword`, `${manager} run dev`];
  }
  const uvicorn = appCommand(choice, machine.environment, choice.port).join(" ");
  return [...go, "npx @afterword/reference-server dev", uvicorn];
}

/** Resolves once the app answers. */
async function waitFor(url: string, app: Child, machine: Machine): Promise<void> {
  let hasEnded = false;
  const end = () => (hasEnded = true);
  app.ended.then(end, end);
  const eachMs = 100;
  while (!hasEnded && !machine.interrupted.aborted) {
    const reply = await machine.fetch(url).catch(() => undefined);
    if (reply) return;
    await setTimeout(eachMs);
  }
}

/** Starts the app, says where it is, and stays until it ends or the person ends it. */
export async function runApp(choice: Choice, created: Created, machine: Machine): Promise<void> {
  const { folder, dev, program } = created;
  const environment = { ...machine.environment, ...(choice.port && { PORT: String(choice.port) }) };
  const command = appCommand(choice, environment, choice.port);
  const app = new Child(command, { folder, environment, isShown: true });
  const ending = new Promise<void>((resolve) => machine.interrupted.addEventListener("abort", () => resolve()));
  try {
    if (choice.port) await waitFor(`http://localhost:${choice.port}/`, app, machine);
    if (choice.port) machine.print(`\nYour app:   http://localhost:${choice.port}/  (ask the agent, and rate it)`);
    else machine.print(`\nYour worker runs: rate a survey at the address below, and its score arrives here.`);
    machine.print(`Afterword:  ${dev.url}/  (what happens, the score, and the results)`);
    machine.print(`Ctrl-C ends ${program ? "both" : "it"}. Later: ${nextSteps(choice, created, machine).join(" ; ")}\n`);
    const code = await Promise.race([app.ended, ending]);
    if (typeof code === "number")
      throw new Problem(`The app in ${join(folder)} ended with exit code ${code}; its files are complete.`, 1);
  } finally {
    await app.end();
    await program?.end();
  }
}
