import { isDeepStrictEqual } from "node:util";
import { isThumbs } from "@afterword/protocol";
import { InvalidConfig, type ConfigMistake } from "./config/parse-config.ts";
import { type ServerConfig } from "./config/server-config.ts";
import { desiredProjects, tokenLifetimes } from "./config/desired-projects.ts";
import { configChange } from "./administration/apply-config.ts";
import type { ChangeMaterial, ConfigChange, DesiredProject } from "./administration/apply-config.ts";
import { type Clock } from "./domain/clock.ts";
import { ExportSlots } from "./domain/export-responses.ts";
import { type MasterKeys } from "./domain/master-keys.ts";
import { isUsableKey, ProjectDirectory, type Project } from "./domain/project-directory.ts";
import { RunCounts } from "./domain/run-counts.ts";
import { type Service } from "./domain/service.ts";
import type { DirectoryChange, Store, StoredProject } from "./store/store.ts";

/** A project of a running server, with the keys to use. */
export interface StartedProject {
  id: string;
  publishableKey: string;
  /** Present only if this start generated it: only its hash is stored, and it cannot be shown again. */
  secretKey?: string;
}

export interface ServiceOptions {
  store: Store;
  config: ServerConfig;
  clock: Clock;
  masterKeys: MasterKeys;
  /** Runs what the config changes in the database, if it changes anything. Default: runs it. */
  applyChange?: (change: DirectoryChange, apply: () => Promise<DirectoryChange>) => Promise<unknown>;
}

function started({ id, keys }: Project, { secretKeys }: ConfigChange, now: number): StartedProject {
  const usable = keys.find((key) => key.kind === "publishable" && isUsableKey(key, now));
  const secretKey = secretKeys.get(id);
  return { id, publishableKey: usable?.publishableKey ?? "", ...(secretKey !== undefined && { secretKey }) };
}

/** Leaves out the uses of keys, which servers note meanwhile and which decide nothing. */
const decisive = (projects: readonly StoredProject[]) =>
  projects.map((project) => ({ ...project, keys: project.keys.map((key) => ({ ...key, uses: undefined })) }));

/** Thumbs and five ratings make no score together (decision D129). @throws InvalidConfig for surveys with answers */
async function keepThumbs(store: Store, desired: readonly DesiredProject[], before: StoredProject[]) {
  const mistakes: ConfigMistake[] = [];
  for (const [index, { id, surveys }] of desired.entries()) {
    const stored = before.find((project) => project.id === id)?.surveys ?? [];
    for (const [place, { definition }] of surveys.entries()) {
      const known = stored.find((survey) => survey.id === definition.id)?.definition ?? definition;
      if (isThumbs(known) === isThumbs(definition)) continue;
      const { responseCounts } = await store.askFacts(id, { countedSurveyIds: [definition.id] });
      if (!responseCounts.get(definition.id)) continue;
      const message = "cannot change once a survey has answers: make a new survey with another id and slug";
      mistakes.push({ path: `projects[${index}].surveys[${place}].thumbs`, message });
    }
  }
  if (mistakes.length > 0) throw new InvalidConfig(mistakes);
}

/** Decides on what it reads, and decides again if another process has changed that by the time it writes. */
export async function applyConfig(
  { store, applyChange = (_, apply) => apply() }: Pick<ServiceOptions, "store" | "applyChange">,
  desired: readonly DesiredProject[],
  material: ChangeMaterial,
): Promise<ConfigChange> {
  const before = await store.readDirectory();
  let change = configChange(desired, before, material);
  if (change.projects.length + change.keys.length + change.surveys.length === 0) return change;
  await keepThumbs(store, desired, before);
  await applyChange(change, async () => {
    await store.changeDirectory((current) => {
      if (!isDeepStrictEqual(decisive(current), decisive(before)))
        change = configChange(desired, current, material);
      return change;
    });
    return change;
  });
  return change;
}

/** Applies the config to the database and opens the service. Idempotent. */
export async function openService(
  options: ServiceOptions,
): Promise<{ service: Service; projects: StartedProject[] }> {
  const { store, config, clock, masterKeys } = options;
  const desired = desiredProjects(config);
  const change = await applyConfig(options, desired, { now: clock.now(), masterKeys });
  const directory = new ProjectDirectory(store, masterKeys);
  await directory.refresh();
  const service: Service = {
    store,
    clock,
    directory,
    masterKeys,
    lifetimes: tokenLifetimes(config),
    exportSlots: new ExportSlots(),
    runCounts: new RunCounts(clock),
  };
  const configured = desired.map(({ id }) => directory.project(id)!);
  // In the order of the config, then those that only the database has.
  const all = new Set([...configured, ...directory.projects]);
  return { service, projects: [...all].map((project) => started(project, change, clock.now())) };
}
