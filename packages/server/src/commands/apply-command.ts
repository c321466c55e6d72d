import { parse } from "yaml";
import {
  applyConfig,
  type ConfigChange,
  desiredProjects,
  parseConfig,
  type StoredProject,
} from "@afterword/reference-server/internal";
import { changedIds } from "../audit/audit-trail.ts";
import { examineSuggestions } from "../health/examine.ts";
import { defineCommand } from "./define-command.ts";
import { readInput } from "./files.ts";
import { keyLines } from "./project-commands.ts";
import { surveyFields } from "./survey-commands.ts";

/** The projects that a change creates or changes, with the keys that it generates. */
function changedProjects({ projects, keys, secretKeys }: ConfigChange, before: readonly StoredProject[]) {
  const ids = new Set([...projects.map(({ id }) => id), ...keys.map(({ projectId }) => projectId)]);
  return [...ids].map((id) => ({
    id,
    change: before.some((project) => project.id === id) ? "changed" : "created",
    publishableKey: keys.find((key) => key.projectId === id && key.publishableKey)?.publishableKey,
    secretKey: secretKeys.get(id),
  }));
}

type Surveys = ConfigChange["surveys"];

const storedOf = ({ projectId, id }: Surveys[number], before: readonly StoredProject[]) =>
  before.find((one) => one.id === projectId)?.surveys.find((one) => one.id === id);

/** Whether a config file of `serve` has something in a project, which its next start sets back. */
const isConfigured = ({ keys, surveys }: StoredProject) =>
  keys.some((key) => key.managedBy === "config" && key.revokedAt === undefined) ||
  surveys.some((survey) => survey.managedBy === "config" && survey.deletedAt === undefined);

/** `apply`: what `serve --config` does at its start, beside a running server, but for deleting. */
export const applyCommand = defineCommand({
  name: "apply",
  description: "Create and change the projects and surveys of a config file; deletes and revokes nothing",
  example: "apply afterword.json",
  options: (command) =>
    command
      .argument("<file>", "a config file of `serve`, as JSON or YAML; - reads standard input")
      .option("--dry-run", "print what would change, and change nothing"),
  async work({ service, flags, audit }, file) {
    const content = readInput(file, (text) => parse(text) as unknown, "neither JSON nor YAML");
    const desired = desiredProjects(parseConfig(content));
    const material = { now: service.clock.now(), masterKeys: service.masterKeys, isAdding: true };
    const before = await service.store.readDirectory();
    const { dryRun: isDryRun = false } = flags;
    const made = await applyConfig(
      {
        store: service.store,
        applyChange: async (...change) => (isDryRun ? undefined : audit.changeConfig(...change)),
      },
      desired,
      material,
    );
    const isSame = Object.values(changedIds(made)).every((list) => list.length === 0);
    // A dry run keeps no key.
    const projects = changedProjects(made, before).map((one) =>
      isDryRun ? { ...one, publishableKey: undefined, secretKey: undefined } : one,
    );
    const surveys = made.surveys.map((survey) => ({
      projectId: survey.projectId,
      change: storedOf(survey, before) ? "changed" : "created",
      ...surveyFields(survey),
    }));
    const findings = made.surveys.flatMap(examineSuggestions);
    const touched = new Set([...projects.map(({ id }) => id), ...surveys.map(({ projectId }) => projectId)]);
    const configured = before.filter((project) => touched.has(project.id) && isConfigured(project));
    return {
      json: { isDryRun, projects, surveys, findings },
      lines: [
        isDryRun && !isSame && "This would change:",
        isSame && "Nothing to change.",
        ...projects.flatMap((one) => [`${one.change} the project ${one.id}`, ...keyLines(one)]),
        ...surveys.map(
          ({ change, projectId, slug, version, status }) =>
            `${change} ${projectId}/${slug} (version ${version}, ${status})`,
        ),
        ...findings.map(({ name, found }) => `${name}: ${found}`),
      ],
      remarks: configured.map(
        ({ id }) =>
          `A config file defines the project ${id}: change it there too, or the next start reverts this.`,
      ),
    };
  },
});
