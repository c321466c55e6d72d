import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Creation } from "./creation.ts";
import { devFlags, type DevServer, findDev, startDev } from "./dev-server.ts";
import { runsPackage } from "./packages.ts";
import { Problem } from "./problem.ts";
import { excerptOf, readTemplate, requirements, variables } from "./template-files.ts";

/** Whether git ignores a file: as it says itself, or else as the list in the folder does. */
function isIgnored(folder: string, file: string): boolean {
  const { status } = spawnSync("git", ["check-ignore", "--quiet", file], { cwd: folder });
  if (status === 0 || status === 1) return status === 0;
  const list = join(folder, ".gitignore");
  const lines = existsSync(list) ? readFileSync(list, "utf8").split(/\r?\n/) : [];
  return lines.some((line) => [file, `/${file}`, ".env*", "*"].includes(line.trim()));
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, "  ");

/** For the packages that the project's own manifest does not name; those that it does keep their versions. */
function installLine({ files, manager, template }: Creation, packages: readonly string[]): string {
  const path = join(files.folder, template.manifest);
  const named = new Set(existsSync(path) ? readFileSync(path, "utf8").match(/[\w@/.-]+/g) : []);
  const missing = packages.filter((name) => !named.has(name));
  if (missing.length === 0) return "nothing, the project has all packages";
  const command = manager === "npm" ? "npm install" : `${manager} add`;
  return [template.manifest === "requirements.txt" ? "pip install" : command, ...missing].join(" ");
}

/** The secret key must not be committed: keeps git from its file. */
function ignoreKey({ files, print, template: { envFile } }: Creation): void {
  if (isIgnored(files.folder, envFile)) return;
  files.addLine(".gitignore", envFile);
  print(`Added a line to .gitignore, since the secret key must not be committed: ${envFile}`);
  if (isIgnored(files.folder, envFile)) return;
  print(`git knows ${envFile} already. Take it out of git's index:\n  git rm --cached ${envFile}`);
}

/** Prints the lines for the person to paste, each under the file that the template has them in, and how to start. */
function printLines(creation: Creation, dev: DevServer): void {
  const { manager, print, template } = creation;
  const { packages, start } = requirements(creation);
  print(`\nInstall:  ${installLine(creation, packages)}`);
  for (const [file, { lines, where }] of Object.entries(template.pasted)) {
    print(`\nPaste, as in ${file} of the template${where ? `, ${where}` : ""}:`);
    const text = readTemplate(creation, file, dev);
    for (const excerpt of lines) print(indented(excerptOf(text, excerpt)));
  }
  const command = `${runsPackage[manager]} @afterword/server dev${devFlags(creation)}`;
  if (dev.isOurs) print(`\nStart the server for development here, which has these keys:\n  ${command}`);
  const last = `The template starts with:\n  ${start}`;
  print(`\nStart your app with the variables of ${template.envFile}. ${last}`);
}

/** Adds new files to a project and prints what to paste into the others. It changes none but `.gitignore`. @throws Problem */
export async function addToProject(creation: Creation): Promise<DevServer> {
  const { files, given, print } = creation;
  const { added, envFile } = creation.template;
  if (!files.before) throw new Problem(`${given} is not a folder: name the folder of a project.`, 2);
  const taken = added.find((file) => existsSync(join(files.folder, file)));
  if (taken) throw new Problem(`${taken} exists already and was left as it is: rename it, and run it again.`);
  const dev = (await findDev(creation)) ?? (await startDev(creation));
  const hasVariables = existsSync(join(files.folder, envFile));
  for (const file of added) files.write(file, readTemplate(creation, file, dev));
  if (!hasVariables) files.write(envFile, variables(creation, dev), true);
  const all = hasVariables ? added : [...added, envFile];
  print(all.length > 0 ? `Added: ${all.join(", ")}` : "Added no file.");
  ignoreKey(creation);
  if (hasVariables) print(`\nPaste into ${envFile}:\n${indented(variables(creation, dev).trimEnd())}`);
  printLines(creation, dev);
  return dev;
}
