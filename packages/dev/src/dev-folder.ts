import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  databasePlace,
  holdForServing,
  InvalidConfig,
  parseConfig,
  type ProjectConfig,
  type ServerConfig,
  UsageError,
} from "@afterword/reference-server/internal";
import { firstConfig } from "./dev-surveys.ts";

export interface DevFolder {
  path: string;
  /** The project with its keys and surveys, as `serve --config` reads it. */
  configFile: string;
  database: string;
}

/** The config of `dev`: exactly one project, with both keys. */
export type DevProject = ProjectConfig & { publishableKey: string; secretKey: string };

export function devFolder(folder: string): DevFolder {
  const path = join(folder, ".afterword");
  return { path, configFile: join(path, "config.json"), database: join(path, "afterword.db") };
}

/** Replaces the file as a whole, once `apply` has done its part with the new text already on the disk. */
export async function saveConfig(
  { configFile }: DevFolder,
  config: ServerConfig,
  apply: () => Promise<void> = async () => undefined,
): Promise<void> {
  const part = `${configFile}.part`;
  try {
    writeFileSync(part, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600, flush: true });
    await apply();
    renameSync(part, configFile);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Removes what `dev` has made, but for the file of the lock, and nothing else. */
function removeData({ configFile, database }: DevFolder): void {
  const { files = [] } = databasePlace(database) as { files?: readonly string[] };
  const data = files.filter((file) => !file.endsWith(".serving"));
  for (const file of [configFile, ...data]) rmSync(file, { force: true });
}

/** Makes what is missing. @throws UnusableDatabase while another `dev` uses the folder, or begins to */
async function fill(folder: DevFolder, isReset: boolean): Promise<void> {
  const release = holdForServing(folder.database);
  try {
    if (isReset) removeData(folder);
    const ignoring = join(folder.path, ".gitignore");
    if (!existsSync(ignoring)) writeFileSync(ignoring, "*\n");
    if (!existsSync(folder.configFile)) await saveConfig(folder, firstConfig());
  } finally {
    release();
  }
}

function readConfig({ configFile }: DevFolder): ServerConfig {
  const remedy = "Correct the file, or begin anew with --reset.";
  let config: ServerConfig;
  try {
    config = parseConfig(JSON.parse(readFileSync(configFile, "utf8")));
  } catch (error) {
    const cause = InvalidConfig.isInstance(error) ? error.message.split("\n")[0] : (error as Error).message;
    throw new UsageError(`Could not read ${configFile}: ${cause}. ${remedy}`, { cause: error });
  }
  const [project, ...others] = config.projects;
  if (project?.publishableKey && project.secretKey && others.length === 0) return config;
  throw new UsageError(
    `${configFile} must have one project with a publishableKey and a secretKey. ${remedy}`,
  );
}

/**
 * Opens the folder, which the first run creates together with keys and surveys. @throws UsageError for a folder that cannot
 * be written, in which nothing is left behind, or for a broken config file; UnusableDatabase
 */
export async function openDevFolder(folder: DevFolder, isReset: boolean): Promise<ServerConfig> {
  const { path } = folder;
  let isNew = false;
  try {
    if (existsSync(path) && !existsSync(`${path}/.`))
      throw new UsageError(`${path} is not a folder: move it away, or choose another place with --folder.`);
    if (!existsSync(path)) {
      mkdirSync(path, { mode: 0o700 });
      // Only now: what another process or a broken link has put here stays.
      isNew = true;
    }
    await fill(folder, isReset);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (isNew) rmSync(path, { recursive: true, force: true });
    throw new UsageError(
      `Could not write to ${path}: ${message.split(",")[0]}. Choose a folder that you may write to with --folder.`,
      { cause: error },
    );
  }
  return readConfig(folder);
}
