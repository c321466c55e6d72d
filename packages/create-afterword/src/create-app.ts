import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { basename, relative } from "node:path";
import { type Creation } from "./creation.ts";
import { devFlags, type DevServer, findDev, startDev } from "./dev-server.ts";
import { installPackages } from "./packages.ts";
import { refusePort, Problem } from "./problem.ts";
import { readTemplate, templateFiles, variables } from "./template-files.ts";

/** What Windows, shells, package managers or bundlers do not take, each at least once. */
const unusable = /^[-~ ]|[\p{Cc}:*?"<>|#%\\]|[. ]$/u;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|node_modules)(\.|$)/i;

/** Refuses a name of a new folder in which an app would not work. @throws Problem */
function checkFolderName(folder: string): void {
  const name = basename(folder);
  if (!unusable.test(name) && !reserved.test(name)) return;
  const why = reserved.test(name)
    ? "is a reserved name"
    : "has characters that programs of the app do not take";
  throw new Problem(`The folder name ${JSON.stringify(name)} ${why}: choose another, such as my-app.`, 2);
}

/** What a folder may hold that counts as empty. */
const harmless = new Set([".git", ".afterword", ".DS_Store"]);

function requireEmpty({ files, folder }: Creation): void {
  const given = relative(folder, files.folder) || "This folder";
  if (!files.before && existsSync(files.folder))
    throw new Problem(`${given} is not a folder: choose a new folder.`, 2);
  if ((files.before ?? []).every((name) => harmless.has(name))) return;
  throw new Problem(`${given} is not empty: choose a new folder, or add to the project in it with --add.`, 2);
}

/** A name that package managers accept. */
const packageName = (folder: string) =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9~-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "") || "my-app";

/** Refuses a port of 127.0.0.1 on which no program can listen. @throws Problem */
async function checkPort(port: number): Promise<void> {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening").catch(() => refusePort(port, "port"));
  server.close();
}

/** The template's own, with the server for development and the version of this program, which all packages share. */
function packageJson(text: string, creation: Creation): string {
  const manifest = JSON.parse(text) as Record<string, Record<string, string>>;
  const { files, template, port, version } = creation;
  const flag = template.isPortFlag && port !== template.port ? ` --port ${port}` : "";
  const dev = `${manifest["scripts"]!["dev"]}${flag}`;
  const whole = {
    ...manifest,
    name: packageName(files.folder),
    scripts: { ...manifest["scripts"], dev, afterword: `afterword-server dev${devFlags(creation)}` },
    devDependencies: { "@afterword/server": version, ...manifest["devDependencies"] },
  };
  const json = JSON.stringify(whole, undefined, 2);
  return `${json.replaceAll(/("@afterword\/[\w-]+": )"[^"]+"/g, `$1"${version}"`)}\n`;
}

/** Creates the app in an empty folder. @throws Problem */
export async function createApp(creation: Creation): Promise<DevServer> {
  const { files, port, template } = creation;
  checkFolderName(files.folder);
  requireEmpty(creation);
  if (port !== undefined) await checkPort(port);
  const running = await findDev(creation);
  const { manifest, envFile } = template;
  const text = readTemplate(creation, manifest);
  files.write(manifest, manifest === "package.json" ? packageJson(text, creation) : text);
  await installPackages(creation);
  const dev = running ?? (await startDev(creation));
  for (const file of templateFiles(creation))
    if (file !== manifest) files.write(file, readTemplate(creation, file, dev));
  const ownPort = port === template.port || template.isPortFlag ? "" : `PORT=${port}\n`;
  files.write(envFile, variables(creation, dev) + ownPort, true);
  // npm leaves a .gitignore out of a package.
  files.write(".gitignore", readTemplate(creation, "../gitignore"));
  return dev;
}
