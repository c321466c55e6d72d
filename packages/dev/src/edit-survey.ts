import {
  configChange,
  desiredProjects,
  InvalidConfig,
  parseConfig,
  randomSecrets,
  type ServerConfig,
  type Service,
  UsageError,
} from "@afterword/reference-server/internal";
import { projectOf } from "./dev-folder.ts";

const place = /^projects\[0\]\.surveys\[\d+\]\.?/;

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`Survey "${name}" is not valid JSON: ${(error as Error).message}. Correct it.`, {
      cause: error,
    });
  }
}

/**
 * The config with another survey in the place of one. @param index its place in the project @param text JSON
 * @throws UsageError, in one line, for a survey that is not valid
 */
export function withSurvey(config: ServerConfig, index: number, text: string): ServerConfig {
  const project = projectOf(config);
  const current = project.surveys[index];
  if (!current) throw new UsageError(`There is no survey ${index}. Reload the page.`);
  const surveys = project.surveys.with(index, parsed(text, current.id) as typeof current);
  try {
    return parseConfig({ ...config, projects: [{ ...project, surveys }] });
  } catch (error) {
    if (!InvalidConfig.isInstance(error)) throw error;
    const [{ path, message }, ...others] = error.mistakes as [InvalidConfig["mistakes"][0]];
    const field = path.replace(place, "");
    const more = others.length > 0 ? ` (and ${others.length} more)` : "";
    throw new UsageError(`Survey "${current.id}": ${field && `${field}: `}${message}${more}. Correct it.`, {
      cause: error,
    });
  }
}

/** Applies a config while the server runs, as a start with it would. @throws UsageError */
export async function applyConfig(service: Service, config: ServerConfig): Promise<void> {
  const newSecrets = (id: string) => service.masterKeys.seal(id, randomSecrets());
  await service.directory.change((stored) => {
    const { secretKeys: _, ...change } = configChange(desiredProjects(config), stored, {
      now: service.clock.now(),
      newSecrets,
    });
    return [change, undefined];
  });
}
