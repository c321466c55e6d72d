import {
  applyConfig,
  desiredProjects,
  InvalidConfig,
  parseConfig,
  randomSecrets,
  type ServerConfig,
  type Service,
  UsageError,
} from "@afterword/reference-server/internal";
import { saveConfig, type DevFolder, type DevProject } from "./dev-folder.ts";
import { type DevLog } from "./dev-log.ts";

const place = /^projects\[0\]\.surveys\[\d+\]\.?/;

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(`Survey "${name}" is not valid JSON: ${message}. Correct it.`, { cause: error });
  }
}

/** Says the first mistake of a config as one of the edited survey. */
function inOneLine(error: unknown, surveyId: string): unknown {
  if (!InvalidConfig.isInstance(error)) return error;
  const [{ path, message }, ...others] = error.mistakes as [InvalidConfig["mistakes"][0]];
  const field = path.replace(place, "");
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return new UsageError(`Survey "${surveyId}": ${field && `${field}: `}${message}${more}. Correct it.`, {
    cause: error,
  });
}

/** The config of the folder, whose surveys are edited while the server runs. */
export class DevConfig {
  readonly #folder: DevFolder;
  readonly #service: Service;
  readonly #log: DevLog;
  #config: ServerConfig;
  #editing = Promise.resolve();

  constructor(folder: DevFolder, config: ServerConfig, service: Service, log: DevLog) {
    this.#folder = folder;
    this.#config = config;
    this.#service = service;
    this.#log = log;
  }

  /** As it is now, after all edits. */
  get project(): DevProject {
    return this.#config.projects[0] as DevProject;
  }

  /** Replaces a survey, after earlier edits. @param index its place in the project @param text JSON @throws UsageError, in one line */
  edit(index: number, text: string): Promise<void> {
    return (this.#editing = this.#editing.catch(() => undefined).then(() => this.#edit(index, text)));
  }

  async #edit(index: number, text: string): Promise<void> {
    const { project } = this;
    const current = project.surveys[index];
    if (!current) throw new UsageError(`There is no survey ${index}. Reload the page.`);
    const surveys = project.surveys.with(index, parsed(text, current.id) as typeof current);
    let edited: ServerConfig | undefined;
    try {
      const next = (edited = parseConfig({ ...this.#config, projects: [{ ...project, surveys }] }));
      await saveConfig(this.#folder, next, () => this.#apply(next));
    } catch (error) {
      // Where only the file could not be replaced, the database goes back to it.
      if (edited) await this.#apply(this.#config).catch(() => undefined);
      throw inOneLine(error, current.id);
    }
    this.#config = edited;
    this.#log.add("edited", this.project.surveys[index]!.id);
  }

  /** As a start with this config would. */
  async #apply(config: ServerConfig): Promise<void> {
    const { store, masterKeys, directory, clock } = this.#service;
    const newSecrets = (id: string) => masterKeys.seal(id, randomSecrets());
    await applyConfig({ store }, desiredProjects(config), { now: clock.now(), newSecrets });
    await directory.refresh();
  }
}
