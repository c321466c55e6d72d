import { relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Creation } from "./creation.ts";
import { devFlags, type DevServer } from "./dev-server.ts";
import { runsPackage, venvProgram } from "./packages.ts";
import { isWindows, Problem } from "./problem.ts";

/** How long the app has after it did not answer. */
const lookAgainInMs = 100;

/** A path as a word of a command. */
function shellWord(path: string): string {
  if (/^[\w./@-]+$/.test(path)) return path;
  return isWindows ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}

function appCommand({ template, manager, port }: Creation): string[] {
  if (template.manifest === "package.json") return [manager, "run", "dev"];
  return [venvProgram("uvicorn"), "main:app", "--port", String(port), "--env-file", template.envFile];
}

/** How to start the app later, and in another terminal the server for development, unless another folder's runs. */
export function nextSteps(creation: Creation, dev: DevServer): string {
  const { manager, version, template } = creation;
  const place = relative(creation.folder, creation.files.folder);
  const go = place === "" ? "  " : `  cd ${shellWord(place)} && `;
  const app = go + appCommand(creation).join(" ");
  if (!dev.isOurs) return `while the afterword-server dev at ${dev.url} runs:\n${app}`;
  const ofPython = `${runsPackage[manager]} @afterword/server@${version} dev${devFlags(creation)}`;
  const ofNode = `${manager} run afterword`;
  return `in two terminals:\n${go}${template.manifest === "package.json" ? ofNode : ofPython}\n${app}`;
}

function printAddresses(creation: Creation, dev: DevServer): void {
  const { port, print } = creation;
  const app = port
    ? `Your app:   http://localhost:${port}/  (ask the agent, and rate it)`
    : "Your worker runs: rate a survey at the address below, and its score arrives here.";
  print(`\n${app}`);
  print(`Afterword:  ${dev.url}/  (what happens, the score, and the results)`);
  print(`Ctrl-C ends ${dev.isOurs ? "both" : "it"}. Later, ${nextSteps(creation, dev)}\n`);
}

/** Starts the app, says where it is, and stays until it ends or the program is interrupted. */
export async function runApp(creation: Creation, dev: DevServer): Promise<void> {
  const { fetch, interrupted, port, programs } = creation;
  const { folder } = creation.files;
  const environment = { ...creation.environment, ...(port && { PORT: String(port) }) };
  const app = programs.start(appCommand(creation), { folder, environment, isShown: true });
  const isAnswered = async () =>
    !port || (await fetch(`http://localhost:${port}/`).catch(() => undefined)) !== undefined;
  while (!app.hasEnded && !(await isAnswered())) await setTimeout(lookAgainInMs);
  if (!app.hasEnded && !interrupted.aborted) printAddresses(creation, dev);
  const code = await app.ended;
  if (interrupted.aborted) return;
  throw new Problem(`The app in ${folder} ended with exit code ${code}; its files are complete.`);
}
