import { existsSync, readdirSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { type Choice, devFlags } from "./choice.ts";
import { checkFolderName } from "./folder-name.ts";
import { findDev } from "./find-dev.ts";
import { type DevServer } from "./templates.ts";
import { installPackages } from "./install-packages.ts";
import { type Machine } from "./machine.ts";
import { NewFiles } from "./new-files.ts";
import { installed } from "./package-manager.ts";
import { isPortFree } from "./is-port-free.ts";
import { Problem } from "./problem.ts";
import { withDev } from "./start-dev.ts";
import { TemplateFiles } from "./template-files.ts";

/** An app that is ready. */
export interface Created {
  folder: string;
  dev: DevServer;
}

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
    const isFile = (error as NodeJS.ErrnoException).code === "ENOTDIR";
    const why = isFile ? `${given} is not a folder` : `Could not read ${given}`;
    throw new Problem(`${why}: choose a new folder.`, 2, { cause: error });
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
  const { template, port } = choice;
  const flag = template.isPortFlag && port !== template.port ? ` --port ${port}` : "";
  const whole = {
    name: packageName(folder),
    ...rest,
    scripts: {
      ...scripts,
      dev: `${scripts["dev"]}${flag}`,
      afterword: `afterword-server dev${devFlags(choice)}`,
    },
    devDependencies: { "@afterword/server": version, ...devDependencies },
  };
  const json = JSON.stringify(whole, undefined, 2);
  return `${json.replaceAll(/("@afterword\/[\w-]+": )"[^"]+"/g, `$1"${version}"`)}\n`;
}

/** Creates the app in an empty folder. Where it fails, nothing of it is left. @throws Problem */
export async function createApp(choice: Choice, machine: Machine): Promise<Created> {
  const { template, port } = choice;
  const folder = resolve(machine.folder, choice.folder);
  checkFolderName(folder);
  requireEmpty(folder, relative(machine.folder, folder) || "This folder");
  if (port !== undefined && !(await isPortFree(port)))
    throw new Problem(
      `Port ${port} is in use by another program: end that, or choose another with --port.`,
      1,
    );
  const running = await findDev(choice, machine.fetch);
  const source = new TemplateFiles(machine.templates, choice);
  const files = new NewFiles(folder);
  return files.attempt([...installed, ".afterword"], async () => {
    const { manifest, envFile } = template;
    const text = source.read(manifest);
    const isNode = manifest === "package.json";
    files.write(manifest, isNode ? packageJson(text, choice, folder, machine.version) : text);
    await installPackages(folder, template, machine);
    return withDev(running, folder, choice, machine, (dev) => {
      for (const file of source.names()) if (file !== manifest) files.write(file, source.read(file, dev));
      const ownPort = port === template.port || template.isPortFlag ? "" : `PORT=${port}\n`;
      files.write(envFile, source.variables(dev) + ownPort, true);
      files.write(".gitignore", ignored);
      return { folder, dev };
    });
  });
}
