import { Option } from "commander";
import { parse } from "yaml";
import {
  desiredSurvey,
  type DesiredSurvey,
  findProject,
  findSurvey,
  importSurveys,
  InvalidConfig,
  parseConfig,
  setSurveyStatus,
  type SurveyConfig,
  type SurveyRecord,
  type SurveyStatus,
} from "@afterword/reference-server/internal";
import { examineNewSampling } from "../health/examine-sampling.ts";
import { examineSuggestions } from "../health/examine-suggestions.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { commandGroup, defineCommand, type Session } from "./define-command.ts";
import { readInput } from "./input-file.ts";
import { table } from "./table.ts";

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
    if (!(error instanceof InvalidConfig)) throw error;
    const mistakes = error.mistakes.map(({ path, message }) => ({
      path: path.replace("projects[0].", ""),
      message,
    }));
    throw new InvalidConfig(mistakes);
  }
}

function surveyFields({ projectId: _, deletedAt: __, ...survey }: SurveyRecord) {
  return survey;
}

const audited = ({ id, version, status }: SurveyRecord) => ({ id, version, status });

interface ImportFlags extends DatabaseFlags {
  status?: SurveyStatus;
}

const importCommand = defineCommand({
  name: "survey import",
  description: "Create or change surveys from a JSON or YAML file, all or none",
  example: "survey import shop surveys.json --status active",
  options: (command) =>
    command
      .argument("<project>", "id of the project")
      .argument("<file>", "one survey, a list, or an object with `surveys`; - reads standard input")
      .addOption(
        new Option("--status <status>", "status of all surveys; default: the file's, or draft").choices([
          "active",
          "paused",
          "draft",
        ]),
      ),
  async work({ service, flags, change }: Session<ImportFlags>, projectId: string, file: string) {
    const wanted = readSurveys(file, flags.status);
    const { surveysById } = findProject(service.directory, projectId);
    const asked = wanted.map(({ definition, status }) => ({ id: definition.id, status }));
    const intent = { action: "survey-import", projectId, surveys: asked } as const;
    const imported = await change(intent, async (addResults) => {
      const rows = await importSurveys(service, projectId, wanted);
      addResults({ surveys: rows.map(({ record, change }) => ({ ...audited(record), change })) });
      return rows;
    });
    const looks = imported.map(({ record }) =>
      examineNewSampling(service, record, surveysById.get(record.id)?.sampling),
    );
    const findings = [
      ...(await Promise.all(looks)).flat(),
      ...imported.flatMap(({ record }) => examineSuggestions(record)),
    ];
    return {
      json: {
        projectId,
        surveys: imported.map(({ record, change }) => ({ change, ...surveyFields(record) })),
        findings,
      },
      lines: [
        ...imported.map(
          ({ record, change }) => `${change} ${record.slug} (version ${record.version}, ${record.status})`,
        ),
        ...findings.map(({ name, found, advice }) =>
          [`${name}: ${found}`, advice && `  → ${advice}`].filter(Boolean).join("\n"),
        ),
      ],
    };
  },
});

const list = defineCommand({
  name: "survey list",
  description: "List the surveys of a project",
  example: "survey list shop",
  options: (command) => command.argument("<project>", "id of the project"),
  async work({ service }: Session, project: string) {
    const surveys = [...findProject(service.directory, project).surveysById.values()].map(surveyFields);
    const rows = surveys.map(({ slug, status, version, definition, managedBy }) => [
      slug,
      definition.type,
      status,
      String(version),
      managedBy,
      definition.question,
    ]);
    const heading = ["slug", "type", "status", "version", "from", "question"];
    return {
      json: { surveys },
      lines: [rows.length === 0 ? "There is no survey yet: run `survey import`." : table(heading, rows)],
    };
  },
});

const statusCommand = (name: string, status: SurveyStatus, description: string) =>
  defineCommand({
    name: `survey ${name}`,
    description,
    example: `survey ${name} shop satisfaction`,
    options: (command) =>
      command.argument("<project>", "id of the project").argument("<survey>", "slug or id of the survey"),
    async work({ service, change }: Session, projectId: string, survey: string) {
      const found = findSurvey(findProject(service.directory, projectId), survey);
      const surveys = [{ ...audited(found), status }];
      const record = await change({ action: "survey-status", projectId, surveys }, () =>
        setSurveyStatus(service, projectId, survey, status),
      );
      return { json: surveyFields(record), lines: [`${record.slug} is ${record.status}.`] };
    },
  });

export const surveyCommands = commandGroup(
  "survey",
  "Import, list, activate and pause surveys",
  importCommand,
  list,
  statusCommand("activate", "active", "Start asking a survey"),
  statusCommand("pause", "paused", "Stop asking a survey; answers to shown surveys are still stored"),
  statusCommand("draft", "draft", "Make a survey a draft again"),
);
