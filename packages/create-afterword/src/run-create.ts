import { parseArgs } from "node:util";
import { addToProject } from "./add-to-project.ts";
import { askFolder, askTemplate } from "./ask-choice.ts";
import { type Choice } from "./choice.ts";
import { createApp } from "./create-app.ts";
import { type Machine } from "./machine.ts";
import { managerEnvironment } from "./manager-environment.ts";
import { Problem } from "./problem.ts";
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
    throw new Problem(`${message}. See --help.`, 2, { cause: error });
  }
}

function portNumber(text: string, flag: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new Problem(`--${flag} takes a number from 1 to 65535, not "${text}".`, 2);
}

type Parsed = ReturnType<typeof parse>;

async function chosen(parsed: Parsed, { terminal }: Machine): Promise<Choice> {
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
  const folder = parsed.folder ?? (asked && !parsed.add ? await askFolder(asked) : ".");
  return { name, template, folder, port: template.port && port, devPort };
}

async function create(words: readonly string[], given: Machine): Promise<void> {
  const parsed = parse(words);
  if (parsed.help) return given.print(help);
  if (parsed.version) return given.print(given.version);
  const choice = await chosen(parsed, given);
  const machine = { ...given, environment: await managerEnvironment(given) };
  if (parsed.add) {
    const { dev } = await addToProject(choice, machine);
    return dev.program?.end();
  }
  const created = await createApp(choice, machine);
  if (!parsed["no-start"]) return runApp(choice, created, machine);
  await created.dev.program?.end();
  machine.print(`Ready. Next, ${nextSteps(choice, created, machine)}`);
}

/** A file or socket of this machine that cannot be used. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error;

/** Runs the program. Resolves to its exit code. */
export async function runCreate(words: readonly string[], machine: Machine): Promise<number> {
  try {
    await create(words, machine);
    return 0;
  } catch (error) {
    if (machine.interrupted.aborted) return 130;
    const line = isSystemError(error) ? `${error.message}. Correct that, and run it again.` : undefined;
    const problem = line ? new Problem(line, 1) : error;
    if (!(problem instanceof Problem)) throw error;
    if (problem.message) machine.complain(problem.message);
    return problem.exitCode;
  }
}
