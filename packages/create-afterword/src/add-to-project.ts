import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Choice, devFlags } from "./choice.ts";
import { type Created } from "./create-app.ts";
import { findDev } from "./find-dev.ts";
import { type DevServer } from "./templates.ts";
import { type Machine } from "./machine.ts";
import { NewFiles } from "./new-files.ts";
import { packageManager, runsPackage } from "./package-manager.ts";
import { Problem } from "./problem.ts";
import { withDev } from "./start-dev.ts";
import { TemplateFiles } from "./template-files.ts";

/** Whether git ignores a file: as it says itself, or else as the list in the folder does. */
function isIgnored(folder: string, file: string): boolean {
  const { status } = spawnSync("git", ["check-ignore", "--quiet", file], { cwd: folder });
  if (status === 0 || status === 1) return status === 0;
  const list = join(folder, ".gitignore");
  if (!existsSync(list)) return false;
  const lines = readFileSync(list, "utf8").split(/\r?\n/);
  return lines.some((line) => [file, `/${file}`, ".env*", "*"].includes(line.trim()));
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, "  ");

/** For the packages that the project's own manifest does not name; those that it does keep their versions. */
function installLine(choice: Choice, source: TemplateFiles, { environment, folder }: Machine): string {
  const { manifest } = choice.template;
  const path = resolve(folder, choice.folder, manifest);
  const named = new Set(existsSync(path) ? readFileSync(path, "utf8").match(/[\w@/.-]+/g) : []);
  const packages = source.packages().filter((name) => !named.has(name));
  if (packages.length === 0) return "nothing, the project has all packages";
  const manager = packageManager(environment["npm_config_user_agent"]);
  const command = manager === "npm" ? "npm install" : `${manager} add`;
  return [manifest === "requirements.txt" ? "pip install" : command, ...packages].join(" ");
}

/** The lines for the person to paste, each under the file that the template has them in. */
function printLines(choice: Choice, source: TemplateFiles, dev: DevServer, machine: Machine): void {
  machine.print(`\nInstall:  ${installLine(choice, source, machine)}`);
  const { pasted, yours } = choice.template;
  for (const [file, excerpts] of Object.entries(pasted)) {
    const where = yours?.[file] ? `, ${yours[file]}` : "";
    machine.print(`\nPaste, as in ${file} of the template${where}:`);
    for (const excerpt of excerpts) machine.print(indented(source.excerpt(file, excerpt, dev)));
  }
}

function writeAdded(choice: Choice, source: TemplateFiles, files: NewFiles, dev: DevServer): string[] {
  const { template } = choice;
  for (const name of template.added) files.write(name, source.read(name, dev));
  if (existsSync(join(files.folder, template.envFile))) return template.added;
  files.write(template.envFile, source.variables(dev), true);
  return [...template.added, template.envFile];
}

/** The secret key must not be committed: keeps git from its file. */
function ignoreKey(file: string, files: NewFiles, machine: Machine): void {
  if (isIgnored(files.folder, file)) return;
  files.addLine(".gitignore", file);
  machine.print(`Added a line to .gitignore, since the secret key must not be committed: ${file}`);
  if (isIgnored(files.folder, file)) return;
  machine.print(`git knows ${file} already. Take it out of git's index:\n  git rm --cached ${file}`);
}

function printAdded(
  choice: Choice,
  source: TemplateFiles,
  added: string[],
  { dev }: Created,
  machine: Machine,
): void {
  const { envFile } = choice.template;
  if (!added.includes(envFile))
    machine.print(`\nPaste into ${envFile}:\n${indented(source.variables(dev).trimEnd())}`);
  printLines(choice, source, dev, machine);
  const words = runsPackage[packageManager(machine.environment["npm_config_user_agent"])];
  const command = [...words, `@afterword/server dev${devFlags(choice)}`].join(" ");
  if (dev.program)
    machine.print(`\nStart the server for development here, which has these keys:\n  ${command}`);
  const start = `The template starts with:\n  ${source.startCommand()}`;
  machine.print(`\nStart your app with the variables of ${envFile}. ${start}`);
}

/** Adds new files to a project and prints what to paste into the others. It changes none but `.gitignore`. @throws Problem */
export async function addToProject(choice: Choice, machine: Machine): Promise<Created> {
  const folder = resolve(machine.folder, choice.folder);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Problem(`${choice.folder} is not a folder: name the folder of a project.`, 2);
  for (const file of choice.template.added)
    if (existsSync(join(folder, file)))
      throw new Problem(`${file} exists already and was left as it is: rename it, and run it again.`, 1);
  const running = await findDev(choice, machine.fetch);
  const source = new TemplateFiles(machine.templates, choice);
  const files = new NewFiles(folder);
  return files.attempt([".afterword"], () =>
    withDev(running, folder, choice, machine, (dev) => {
      const added = writeAdded(choice, source, files, dev);
      machine.print(added.length > 0 ? `Added: ${added.join(", ")}` : "Added no file.");
      ignoreKey(choice.template.envFile, files, machine);
      printAdded(choice, source, added, { folder, dev }, machine);
      return { folder, dev };
    }),
  );
}
