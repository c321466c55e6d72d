import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { addToProject } from "./add-to-project.ts";
import { askFolder, askTemplate } from "./ask-choice.ts";
import { createApp } from "./create-app.ts";
import { type Creation, type Machine } from "./creation.ts";
import { NewFiles } from "./new-files.ts";
import { managerEnvironment, packageManager } from "./packages.ts";
import { isSystemError, Problem } from "./problem.ts";
import { nextSteps, runApp } from "./run-app.ts";
import { templates } from "./templates.ts";

const names = Object.keys(templates).join(", ");

const help = `npm create afterword [folder] -- [flags]

Creates a small app whose agent asks people how it went, and starts it beside afterword-server dev.

  --template <name>    ${names}
  --add                add to the project in the folder: writes new files alone, and prints the lines to paste
  --port <number>      where the app listens; default 3000, or 5173 with Vite
  --dev-port <number>  where afterword-server dev listens; default 4330
  --no-start           do not start the app
  --version, --help

Exit codes: 0 done, 1 failed and nothing is left behind, 2 usage error, 130 interrupted.`;

const options = {
  "template": { type: "string", short: "t" },
  "add": { type: "boolean", default: false },
  "port": { type: "string" },
  "dev-port": { type: "string", default: "4330" },
  "no-start": { type: "boolean", default: false },
  "version": { type: "boolean" },
  "help": { type: "boolean", short: "h" },
} as const;

function parse(words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    if (positionals.length > 1) throw new Error(`Name one folder, not ${positionals.length}`);
    return { ...values, folder: positionals[0] };
  } catch (error) {
    const [message] = (error as Error).message.split(". ");
    throw new Problem(`${message}. See --help.`, 2);
  }
}

function portNumber(text: string, flag: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new Problem(`--${flag} takes a number from 1 to 65535, not "${text}".`, 2);
}

async function chosen(parsed: ReturnType<typeof parse>, machine: Machine): Promise<Creation> {
  const { folder, terminal } = machine;
  const asked = parsed.template === undefined ? terminal : undefined;
  const name = asked ? await askTemplate(asked) : parsed.template;
  if (name === undefined) throw new Problem(`Choose a template with --template: ${names}.`, 2);
  if (!Object.hasOwn(templates, name))
    throw new Problem(`There is no template "${name}": choose one of ${names}.`, 2);
  const template = templates[name]!;
  const port = parsed.port === undefined ? template.port : portNumber(parsed.port, "port");
  const devPort = portNumber(parsed["dev-port"], "dev-port");
  if (port === devPort)
    throw new Problem("The app and afterword-server dev need a port each: change --port.", 2);
  const given = parsed.folder ?? (asked && !parsed.add ? await askFolder(asked) : ".");
  const app = { name, template, given, port: template.port && port, devPort };
  const [manager, environment] = [packageManager(machine), await managerEnvironment(machine)];
  return { ...machine, ...app, files: new NewFiles(resolve(folder, given)), manager, environment };
}

async function create(words: readonly string[], machine: Machine): Promise<void> {
  const parsed = parse(words);
  if (parsed.help) return machine.print(help);
  if (parsed.version) return machine.print(machine.version);
  const creation = await chosen(parsed, machine);
  const made = parsed.add ? addToProject(creation) : createApp(creation);
  const dev = await made.catch(async (error: unknown) => {
    await machine.programs.end();
    creation.files.undo(parsed.add);
    throw error;
  });
  if (parsed.add) return;
  if (!parsed["no-start"]) return runApp(creation, dev);
  machine.print(`Ready. Next, ${nextSteps(creation, dev)}`);
}

/** Runs the program. Resolves to its exit code. */
export async function runCreate(words: readonly string[], machine: Machine): Promise<number> {
  try {
    await create(words, machine);
    return 0;
  } catch (error) {
    if (machine.interrupted.aborted) return 130;
    if (isSystemError(error)) machine.complain(`${error.message}. Correct that, and run it again.`);
    else if (!(error instanceof Problem)) throw error;
    else if (error.message) machine.complain(error.message);
    return error instanceof Problem ? error.exitCode : 1;
  } finally {
    await machine.programs.end();
  }
}
