import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Child } from "./child.ts";
import { type Choice, type Created, isForwarder } from "./create-app.ts";
import { findDev, type DevServer } from "./find-dev.ts";
import { type Machine } from "./machine.ts";
import { NewFiles } from "./new-files.ts";
import { packageManager } from "./package-manager.ts";
import { Problem } from "./problem.ts";
import { startDev } from "./start-dev.ts";
import { TemplateFiles } from "./template-files.ts";

/** Whether git leaves a file alone, as far as the project's own list says. */
function isIgnored(folder: string, file: string): boolean {
  const list = join(folder, ".gitignore");
  if (!existsSync(list)) return false;
  const lines = readFileSync(list, "utf8").split(/\r?\n/);
  return lines.some((line) => [file, `/${file}`, ".env*", "*"].includes(line.trim()));
}

function installLine(choice: Choice, source: TemplateFiles, environment: NodeJS.ProcessEnv): string {
  const packages = source.packages().join(" ");
  if (choice.template.manifest === "requirements.txt") return `pip install ${packages}`;
  const manager = packageManager(environment["npm_config_user_agent"]);
  return `${manager} ${manager === "npm" ? "install" : "add"} ${packages}`;
}

/** The lines for the person to paste, each under the file that the template has them in. */
function printLines(choice: Choice, source: TemplateFiles, dev: DevServer, machine: Machine): void {
  machine.print(`\nInstall:  ${installLine(choice, source, machine.environment)}`);
  let last = "";
  for (const excerpt of choice.template.pasted) {
    if (excerpt.file !== last) machine.print(`\nPaste, as in ${excerpt.file} of the template:`);
    last = excerpt.file;
    machine.print(source.excerpt(excerpt, dev).replaceAll(/^(?=.)/gm, "  "));
  }
}

function writeAdded(choice: Choice, source: TemplateFiles, files: NewFiles, dev: DevServer): string[] {
  const { template } = choice;
  for (const name of template.added) files.write(name, source.read(name, dev));
  if (existsSync(join(files.folder, template.envFile))) return template.added;
  files.write(template.envFile, source.variables(dev), true);
  return [...template.added, template.envFile];
}

/** Adds new files to a project and prints what to paste into the others. It changes none. @throws Problem */
export async function addToProject(choice: Choice, machine: Machine): Promise<Created> {
  const { template, name, devPort } = choice;
  const folder = resolve(machine.folder, choice.folder);
  if (!existsSync(folder))
    throw new Problem(`${choice.folder} does not exist: name the folder of a project.`, 2);
  for (const file of template.added)
    if (existsSync(join(folder, file)))
      throw new Problem(`${file} exists already and was left as it is: rename it, and run this again.`, 1);
  const needs = { surveyId: template.surveyId, isForwarder: isForwarder(choice) };
  const found = await findDev(devPort, needs, machine.fetch);
  const source = new TemplateFiles(join(machine.templates, name), template);
  const files = new NewFiles(folder);
  const leftovers = found || existsSync(join(folder, ".afterword")) ? [] : [".afterword"];
  let program: Child | undefined;
  try {
    const dev =
      found ?? (await startDev(folder, { port: devPort, isForwarding: !isForwarder(choice) }, machine));
    if ("program" in dev) program = dev.program as Child;
    const written = writeAdded(choice, source, files, dev);
    machine.print(written.length > 0 ? `Added: ${written.join(", ")}` : "Added no file.");
    if (!written.includes(template.envFile))
      machine.print(
        `\nPaste into ${template.envFile}:\n${source.variables(dev).replaceAll(/^(?=.)/gm, "  ")}`,
      );
    if (!isIgnored(folder, template.envFile))
      machine.print(
        `\nPaste into .gitignore, since the secret key must not be committed:\n  ${template.envFile}`,
      );
    printLines(choice, source, dev, machine);
    return { folder, dev, program };
  } catch (error) {
    await program?.end();
    files.takeBack(leftovers);
    throw error;
  }
}
