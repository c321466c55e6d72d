import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyConfig,
  databasePlace,
  desiredProjects,
  holdForServing,
  InvalidConfig,
  parseConfig,
  type ProjectConfig,
  type ServerConfig,
  type Service,
  type SurveyConfig,
  UsageError,
} from "@afterword/reference-server/internal";
import { firstConfig } from "./dev-surveys.ts";

/** The config of `dev`: exactly one project, with both keys. */
export type DevProject = ProjectConfig & { publishableKey: string; secretKey: string };

/** Where `dev` keeps everything; the config file has its project, keys and surveys, as `serve --config` reads it. */
export function devFolder(folder: string) {
  const path = join(folder, ".afterword");
  return { path, configFile: join(path, "config.json"), database: join(path, "afterword.db") };
}

type DevFolder = ReturnType<typeof devFolder>;

/** Replaces the file as a whole. */
function saveConfig(file: string, config: ServerConfig): void {
  const part = `${file}.part`;
  try {
    writeFileSync(part, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(part, file);
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
function fill(folder: DevFolder, isReset: boolean): void {
  const release = holdForServing(folder.database);
  try {
    if (isReset) removeData(folder);
    const ignoring = join(folder.path, ".gitignore");
    if (!existsSync(ignoring)) writeFileSync(ignoring, "*\n");
    if (!existsSync(folder.configFile)) saveConfig(folder.configFile, firstConfig());
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
export function openDevFolder(folder: DevFolder, isReset: boolean): ServerConfig {
  const { path } = folder;
  const isNew = !existsSync(path);
  if (!isNew && !existsSync(`${path}/.`))
    throw new UsageError(`${path} is not a folder: move it away, or choose another place with --folder.`);
  try {
    if (isNew) mkdirSync(path, { mode: 0o700 });
    fill(folder, isReset);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // What another process or a broken link has put here stays.
    if (isNew && code !== "EEXIST" && existsSync(path)) rmSync(path, { recursive: true, force: true });
    throw new UsageError(
      `Could not write to ${path}: ${message.split(",")[0]}. Choose a folder that you may write to with --folder.`,
      { cause: error },
    );
  }
  return readConfig(folder);
}

/** Says the first mistake of an edited survey. */
function inOneLine(error: unknown, surveyId: string): unknown {
  if (error instanceof SyntaxError)
    return new UsageError(`Survey "${surveyId}" is not valid JSON: ${error.message}. Correct it.`);
  if (!InvalidConfig.isInstance(error)) return error;
  const [{ path, message }, ...others] = error.mistakes as [InvalidConfig["mistakes"][0]];
  const field = path.replace(/^projects\[0\]\.surveys\[\d+\]\.?/, "");
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  const problem = `Survey "${surveyId}": ${field && `${field}: `}${message}${more}. Correct it.`;
  return new UsageError(problem, { cause: error });
}

/** The config of the folder, whose surveys are edited while the server runs. */
export function devConfig(file: string, first: ServerConfig, service: Service) {
  let config = first;
  let editing = Promise.resolve();
  const projectOf = () => config.projects[0] as DevProject;

  /** As a start with this config would. */
  async function apply(config: ServerConfig): Promise<void> {
    const { store, masterKeys, directory, clock } = service;
    await applyConfig({ store }, desiredProjects(config), { now: clock.now(), masterKeys });
    await directory.refresh();
  }

  async function replace(index: number, text: string): Promise<void> {
    const project = projectOf();
    const current = project.surveys[index];
    if (!current) throw new UsageError(`There is no survey ${index}. Reload the page.`);
    try {
      const surveys = project.surveys.with(index, JSON.parse(text) as SurveyConfig);
      const next = parseConfig({ ...config, projects: [{ ...project, surveys }] });
      saveConfig(file, next);
      await apply(next).catch((error: unknown) => {
        saveConfig(file, config);
        throw error;
      });
      config = next;
    } catch (error) {
      throw inOneLine(error, current.id);
    }
  }

  return {
    /** As it is now, after all edits. */
    get project(): DevProject {
      return projectOf();
    },
    /** Replaces a survey, after earlier edits. @param index its place in the project @param text JSON @throws UsageError, in one line */
    edit: (index: number, text: string): Promise<void> =>
      (editing = editing.catch(() => undefined).then(() => replace(index, text))),
  };
}

export type DevConfig = ReturnType<typeof devConfig>;
