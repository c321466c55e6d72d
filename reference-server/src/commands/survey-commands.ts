import { Command, Option } from "commander";
import { parse } from "yaml";
import { desiredSurvey } from "../config/desired-projects.ts";
import { InvalidConfig } from "../config/invalid-config.ts";
import { parseConfig } from "../config/parse-config.ts";
import { type SurveyConfig } from "../config/server-config.ts";
import { type DesiredSurvey } from "../domain/apply-config.ts";
import { findProject } from "../domain/manage-projects.ts";
import { findSurvey, importSurveys, setSurveyStatus } from "../domain/manage-surveys.ts";
import { type SurveyRecord, type SurveyStatus } from "../store/project.ts";
import { auditOf } from "./audit.ts";
import { administrationCommand } from "./database-flags.ts";
import { readInput } from "./input-file.ts";
import { table } from "./table.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

/** One survey, a list of them, or an object with `surveys`. */
function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const { surveys } = value as { surveys?: unknown };
  return Array.isArray(surveys) ? surveys : [value];
}

/** Reads surveys in the format of the config file, as JSON or YAML. @throws InvalidConfig with all mistakes */
function readSurveys(path: string, status: SurveyStatus | undefined): DesiredSurvey[] {
  const content = readInput(path, (text) => parse(text) as unknown, "neither JSON nor YAML");
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

function told({ projectId: _, deletedAt: __, ...survey }: SurveyRecord) {
  return survey;
}

const audited = ({ id, version, status }: SurveyRecord) => ({ id, version, status });

interface ImportFlags extends ServiceFlags {
  status?: SurveyStatus;
}

function importCommand(terminal: Terminal): Command {
  return administrationCommand(
    "import",
    "Create or change surveys from a JSON or YAML file, all or none",
    "survey import shop surveys.json --status active",
  )
    .argument("<project>", "id of the project")
    .argument("<file>", "one survey, a list, or an object with `surveys`; - reads standard input")
    .addOption(
      new Option("--status <status>", "status of all surveys; default: the file's, or draft").choices([
        "active",
        "paused",
        "draft",
      ]),
    )
    .action(async (project: string, file: string, flags: ImportFlags) => {
      const surveys = readSurveys(file, flags.status);
      const imported = await withService(flags, terminal, async (service) => {
        const asked = surveys.map(({ definition, status }) => ({ id: definition.id, status }));
        const intent = { action: "survey-import", projectId: project, surveys: asked } as const;
        return auditOf(terminal, flags, "survey import").change(intent, async (learn) => {
          const rows = await importSurveys(service, project, surveys);
          learn({ surveys: rows.map(({ record, change }) => ({ ...audited(record), change })) });
          return rows;
        });
      });
      if (flags.json) {
        const rows = imported.map(({ record, change }) => ({ change, ...told(record) }));
        return terminal.print(JSON.stringify({ projectId: project, surveys: rows }));
      }
      for (const { record, change } of imported) {
        terminal.print(`${change} ${record.slug} (version ${record.version}, ${record.status})`);
      }
    });
}

function list(terminal: Terminal): Command {
  return administrationCommand("list", "List the surveys of a project", "survey list shop")
    .argument("<project>", "id of the project")
    .action(async (project: string, flags: ServiceFlags) => {
      const surveys = await withService(flags, terminal, async ({ directory }) =>
        [...findProject(directory, project).surveysById.values()].map(told),
      );
      if (flags.json) return terminal.print(JSON.stringify({ surveys }));
      if (surveys.length === 0) return terminal.print("There is no survey yet: run `survey import`.");
      const rows = surveys.map(({ slug, status, version, definition, managedBy }) => [
        slug,
        definition.type,
        status,
        String(version),
        managedBy,
        definition.question,
      ]);
      terminal.print(table(["slug", "type", "status", "version", "from", "question"], rows));
    });
}

const statusCommands: readonly { name: string; status: SurveyStatus; description: string }[] = [
  { name: "activate", status: "active", description: "Start asking a survey" },
  {
    name: "pause",
    status: "paused",
    description: "Stop asking a survey; answers to shown surveys are still stored",
  },
  { name: "draft", status: "draft", description: "Make a survey a draft again" },
];

function statusCommand(
  terminal: Terminal,
  { name, status, description }: (typeof statusCommands)[number],
): Command {
  return administrationCommand(name, description, `survey ${name} shop satisfaction`)
    .argument("<project>", "id of the project")
    .argument("<survey>", "slug or id of the survey")
    .action(async (project: string, survey: string, flags: ServiceFlags) => {
      const record = await withService(flags, terminal, async (service) => {
        const found = findSurvey(findProject(service.directory, project), survey);
        const surveys = [{ ...audited(found), status }];
        return auditOf(terminal, flags, `survey ${name}`).change(
          { action: "survey-status", projectId: project, surveys },
          () => setSurveyStatus(service, project, survey, status),
        );
      });
      if (flags.json) return terminal.print(JSON.stringify(told(record)));
      terminal.print(`${record.slug} is ${record.status}.`);
    });
}

export function surveyCommands(terminal: Terminal): Command {
  const command = new Command("survey").description("Import, list, activate and pause surveys");
  command.addCommand(importCommand(terminal)).addCommand(list(terminal));
  for (const one of statusCommands) command.addCommand(statusCommand(terminal, one));
  return command;
}
