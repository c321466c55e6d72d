import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { desiredSurvey } from "../config/desired-projects.ts";
import { type SurveyConfig } from "../config/server-config.ts";
import { type DesiredSurvey } from "../domain/apply-config.ts";
import { type SurveyStatus } from "../store/project.ts";
import { InvalidConfig } from "../config/invalid-config.ts";
import { parseConfig } from "../config/parse-config.ts";

function readText(path: string): string {
  try {
    // File descriptor 0 is standard input.
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw new InvalidConfig([{ path: "", message: `cannot read ${path}: ${(error as Error).message}` }]);
  }
}

function parseText(text: string, path: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    const [firstLine] = (error as Error).message.split("\n");
    throw new InvalidConfig([{ path: "", message: `${path} is neither JSON nor YAML: ${firstLine}` }]);
  }
}

/** One survey, a list of them, or an object with `surveys`. */
function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const { surveys } = value as { surveys?: unknown };
  return Array.isArray(surveys) ? surveys : [value];
}

/** Reads surveys in the format of the config file, as JSON or YAML. @throws InvalidConfig with all mistakes */
export function readSurveys(path: string, status: SurveyStatus | undefined): DesiredSurvey[] {
  const content = parseText(readText(path), path);
  const listed = content === null ? [] : listOf(content);
  if (listed.length === 0) throw new InvalidConfig([{ path: "", message: `${path} has no survey` }]);
  const surveys = listed.map((survey) =>
    typeof survey === "object" && survey !== null
      ? { ...survey, status: status ?? (survey as Partial<SurveyConfig>).status ?? "draft" }
      : survey,
  );
  const around = { id: "import", name: "import", allowedOrigins: [] };
  try {
    const [project] = parseConfig({ projects: [{ ...around, surveys }] }).projects;
    return project!.surveys.map(desiredSurvey);
  } catch (error) {
    if (!InvalidConfig.isInstance(error)) throw error;
    const mistakes = error.mistakes.map(({ path, message }) => ({
      path: path.replace("projects[0].", ""),
      message,
    }));
    throw new InvalidConfig(mistakes);
  }
}
