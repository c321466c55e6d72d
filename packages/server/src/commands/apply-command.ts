import { parse } from "yaml";
import {
  changedIds,
  configChange,
  type ConfigChange,
  desiredProjects,
  parseConfig,
  randomSecrets,
  type StoredProject,
} from "@afterword/reference-server/internal";
import { type Finding } from "../store/administration.ts";
import { examineNewSampling } from "../health/examine-sampling.ts";
import { examineSuggestions } from "../health/examine.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { defineCommand, type Session } from "./define-command.ts";
import { readInput } from "./input-file.ts";
import { keyLines } from "./project-commands.ts";
import { surveyFields } from "./survey-commands.ts";

interface ApplyFlags extends DatabaseFlags {
  dryRun?: boolean;
}

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

/** The surveys that a change creates or changes, with what `doctor` would say of them. */
async function changedSurveys(
  { service }: Session,
  changed: ConfigChange["surveys"],
  before: readonly StoredProject[],
) {
  const surveys: object[] = [];
  const lines: string[] = [];
  const findings: Finding[] = [];
  for (const survey of changed) {
    const { projectId, id, slug, version, status } = survey;
    const stored = before.find((one) => one.id === projectId)?.surveys.find((one) => one.id === id);
    const change = stored ? "changed" : "created";
    surveys.push({ projectId, change, ...surveyFields(survey) });
    lines.push(`${change} ${projectId}/${slug} (version ${version}, ${status})`);
    findings.push(...(await examineNewSampling(service, survey, stored?.sampling)));
    findings.push(...examineSuggestions(survey));
  }
  return { surveys, lines, findings };
}

/** `apply`: what `serve --config` does at its start, beside a running server, but for deleting. */
export const applyCommand = defineCommand({
  name: "apply",
  description: "Create and change the projects and surveys of a config file; deletes and revokes nothing",
  example: "apply afterword.json",
  options: (command) =>
    command
      .argument("<file>", "a config file of `serve`, as JSON or YAML; - reads standard input")
      .option("--dry-run", "print what would change, and change nothing"),
  async work(session: Session<ApplyFlags>, file: string) {
    const { service, flags, change } = session;
    const content = readInput(file, (text) => parse(text) as unknown, "neither JSON nor YAML");
    const desired = desiredProjects(parseConfig(content));
    const newSecrets = (id: string) => service.masterKeys.seal(id, randomSecrets());
    const material = { now: service.clock.now(), newSecrets, isAdding: true };
    const before = await service.store.readDirectory();
    let made = configChange(desired, before, material);
    const ids = changedIds(made);
    const isSame = Object.values(ids).every((list) => list.length === 0);
    const isDryRun = flags.dryRun === true;
    if (!isSame && !isDryRun)
      made = await change({ action: "config", changed: ids }, async (addResults) => {
        const decided = await service.directory.change((stored) => {
          const decision = configChange(desired, stored, material);
          return [decision, decision];
        });
        addResults({ changed: changedIds(decided) });
        return decided;
      });
    // A dry run keeps no key.
    const projects = changedProjects(isDryRun ? { ...made, keys: [], secretKeys: new Map() } : made, before);
    const { surveys, lines, findings } = await changedSurveys(session, made.surveys, before);
    const touched = new Set([
      ...projects.map(({ id }) => id),
      ...made.surveys.map(({ projectId }) => projectId),
    ]);
    const configured = before
      .filter(({ id }) => touched.has(id))
      .filter(({ keys, surveys }) => [...keys, ...surveys].some(({ managedBy }) => managedBy === "config"));
    return {
      json: { isDryRun, projects, surveys, findings },
      lines: [
        isDryRun && !isSame && "This would change:",
        isSame && "Nothing to change.",
        ...projects.flatMap(({ id, change, ...keys }) => [`${change} the project ${id}`, ...keyLines(keys)]),
        ...lines,
        ...findings.flatMap(({ name, found, advice }) => [
          `${name}: ${found}`,
          advice !== undefined && `  → ${advice}`,
        ]),
      ],
      remarks: configured.map(
        ({ id }) =>
          `A config file defines the project ${id}: change it there too, or the next start reverts this.`,
      ),
    };
  },
});
