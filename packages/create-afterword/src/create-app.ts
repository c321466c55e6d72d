import { existsSync, readdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { type Child } from "./child.ts";
import { findDev, type DevServer } from "./find-dev.ts";
import { installPackages } from "./install-packages.ts";
import { type Machine } from "./machine.ts";
import { NewFiles } from "./new-files.ts";
import { installed } from "./package-manager.ts";
import { isPortFree } from "./is-port-free.ts";
import { Problem } from "./problem.ts";
import { startDev } from "./start-dev.ts";
import { TemplateFiles } from "./template-files.ts";
import { type Template } from "./templates.ts";

export interface Choice {
  name: string;
  template: Template;
  /** As the person gave it. */
  folder: string;
  /** Where the app listens; `undefined` for a program without a page. */
  port: number | undefined;
  devPort: number;
}

/** An app that is ready, and the server for development, if it was started here. */
export interface Created {
  folder: string;
  dev: DevServer;
  program: Child | undefined;
}

export const isForwarder = ({ name }: Choice) => name === "worker";

const ignored = `node_modules/
dist/
.next/
.venv/
__pycache__/
.afterword/
.env
.env.local
scores.jsonl
`;

/** What a folder may hold that counts as empty. */
const harmless = new Set([".git", ".afterword", ".DS_Store"]);

function requireEmpty(folder: string, given: string): void {
  let entries: string[] = [];
  try {
    if (existsSync(folder)) entries = readdirSync(folder);
  } catch (error) {
    throw new Problem(`Could not read ${given}: choose a folder.`, 2, { cause: error });
  }
  if (entries.every((name) => harmless.has(name))) return;
  throw new Problem(`${given} is not empty: choose a new folder, or add to the project in it with --add.`, 2);
}

/** A name that package managers accept. */
const packageName = (folder: string) =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9~-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "") || "my-app";

interface Manifest {
  name: string;
  scripts: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** The template's own, with the server for development and the version of this program, which all packages share. */
function packageJson(text: string, choice: Choice, folder: string, version: string): string {
  const { name: _, scripts, devDependencies, ...rest } = JSON.parse(text) as Manifest;
  const flags = `${choice.devPort === 4330 ? "" : ` --port ${choice.devPort}`}${isForwarder(choice) ? " --no-forward" : ""}`;
  const whole = {
    name: packageName(folder),
    ...rest,
    scripts: { ...scripts, afterword: `afterword-server dev${flags}` },
    devDependencies: { "@afterword/reference-server": version, ...devDependencies },
  };
  return `${JSON.stringify(whole, undefined, 2).replaceAll(/("@afterword\/[\w-]+": )"[^"]+"/g, `$1"${version}"`)}\n`;
}

/** Creates the app in an empty folder. Where it fails, nothing of it is left. @throws Problem */
export async function createApp(choice: Choice, machine: Machine): Promise<Created> {
  const { template, name, port, devPort } = choice;
  const folder = resolve(machine.folder, choice.folder);
  requireEmpty(folder, relative(machine.folder, folder) || "This folder");
  if (port !== undefined && !(await isPortFree(port)))
    throw new Problem(
      `Port ${port} is in use by another program: end that, or choose another with --port.`,
      1,
    );
  const needs = { surveyId: template.surveyId, isForwarder: isForwarder(choice) };
  const found = await findDev(devPort, needs, machine.fetch);
  const source = new TemplateFiles(join(machine.templates, name), template);
  const files = new NewFiles(folder);
  const leftovers = installed.filter((entry) => !existsSync(join(folder, entry)));
  if (!found && !existsSync(join(folder, ".afterword"))) leftovers.push(".afterword");
  let program: Child | undefined;
  try {
    const manifest = source.read(template.manifest);
    const isNode = template.manifest === "package.json";
    files.write(
      template.manifest,
      isNode ? packageJson(manifest, choice, folder, machine.version) : manifest,
    );
    await installPackages(folder, template, machine);
    const dev =
      found ?? (await startDev(folder, { port: devPort, isForwarding: !isForwarder(choice) }, machine));
    if ("program" in dev) program = dev.program as Child;
    for (const file of source.names())
      if (file !== template.manifest) files.write(file, source.read(file, dev));
    files.write(template.envFile, source.variables(dev), true);
    files.write(".gitignore", ignored);
    return { folder, dev, program };
  } catch (error) {
    await program?.end();
    files.takeBack(leftovers);
    throw error;
  }
}
