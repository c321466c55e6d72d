import { findProject, type SurveyRecord } from "@afterword/reference-server/internal";
import { commandGroup, defineCommand } from "./define-command.ts";
import { table } from "./table.ts";

export function surveyFields({ projectId: _, deletedAt: __, ...survey }: SurveyRecord) {
  return survey;
}

const list = defineCommand({
  name: "survey list",
  description: "List the surveys of a project",
  example: "survey list shop",
  options: (command) => command.argument("<project>", "id of the project"),
  async work({ service }, project) {
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
      lines: [rows.length === 0 ? "There is no survey yet: run `apply`." : table(heading, rows)],
    };
  },
});

export const surveyCommands = commandGroup("survey", "List surveys", list);
