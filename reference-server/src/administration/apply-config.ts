import { isDeepStrictEqual } from "node:util";
import { createdKey, digestOfKey, type KeyKind } from "../domain/api-key.ts";
import { type MasterKeys, randomSecrets } from "../domain/master-keys.ts";
import { UsageError } from "../domain/usage-error.ts";
import {
  type DirectoryChange,
  type KeyRecord,
  type ManagedBy,
  type ProjectRecord,
  type StoredProject,
  type SurveyRecord,
} from "../store/project.ts";

export interface DesiredProject extends Pick<ProjectRecord, "id" | "name" | "allowedOrigins" | "gating"> {
  publishableKey?: string;
  secretKey?: string;
  surveys: DesiredSurvey[];
}

/** A survey as a config lists it; its definition alone decides about its version. */
export type DesiredSurvey = Pick<
  SurveyRecord,
  "definition" | "status" | "maximum" | "askAgain" | "unprompted" | "sampling"
>;

/** The time and the secrets that a change needs beside the config. */
export interface ChangeMaterial {
  now: number;
  /** Seal the secrets of new projects. */
  masterKeys: Pick<MasterKeys, "seal">;
  /** Whether keys and surveys that the config does not list stay as they are. Default: those of a config before go. */
  isAdding?: boolean;
}

/** A change of the directory with the secret keys that it generates, by project: they can be read only now. */
export interface ConfigChange extends Required<Pick<DirectoryChange, "projects" | "keys" | "surveys">> {
  secretKeys: ReadonlyMap<string, string>;
}

function projectChange(
  desired: DesiredProject,
  stored: StoredProject | undefined,
  { now, masterKeys }: ChangeMaterial,
): ProjectRecord[] {
  const { id, name, allowedOrigins, gating } = desired;
  const wanted = { id, name, allowedOrigins, gating };
  if (!stored)
    return [{ ...wanted, epoch: 1, secrets: masterKeys.seal(id, randomSecrets()), createdAt: now }];
  const { epoch, secrets, createdAt, keys: _keys, surveys: _surveys, ...current } = stored;
  return isDeepStrictEqual(current, wanted) ? [] : [{ ...wanted, epoch, secrets, createdAt }];
}

/** A key that the config gives is taken as it is; one that it no longer gives is revoked. */
function keyChange(
  kind: KeyKind,
  desired: DesiredProject,
  stored: StoredProject | undefined,
  { now, isAdding }: ChangeMaterial,
): { records: KeyRecord[]; generated?: string } {
  const given = kind === "publishable" ? desired.publishableKey : desired.secretKey;
  const digest = given && digestOfKey(given);
  const active = (stored?.keys ?? []).filter((key) => key.kind === kind && key.revokedAt === undefined);
  const dropped = isAdding ? [] : active.filter((key) => key.managedBy === "config" && key.digest !== digest);
  const records: KeyRecord[] = dropped.map((key) => ({ ...key, revokedAt: now }));
  const same = active.find((key) => key.digest === digest);
  // From now on the config file has the key, so removing its line revokes it.
  if (same && !isAdding && same.managedBy === "command") records.push({ ...same, managedBy: "config" });
  if (given ? same : active.length > dropped.length) return { records };
  const managedBy = given && !isAdding ? "config" : "command";
  const { record, key } = createdKey({ projectId: desired.id, kind, managedBy, createdAt: now }, given);
  return { records: [...records, record], ...(!given && { generated: key }) };
}

/** Returns the row to write for one survey: none when it is stored like this already. */
function surveyChange(
  projectId: string,
  desired: DesiredSurvey,
  stored: SurveyRecord | undefined,
  managedBy: ManagedBy,
): SurveyRecord[] {
  const { id, slug } = desired.definition;
  const isSame = stored !== undefined && isDeepStrictEqual(stored.definition, desired.definition);
  const version = stored === undefined ? 1 : isSame ? stored.version : stored.version + 1;
  const row: SurveyRecord = { projectId, id, slug, version, ...desired, managedBy, deletedAt: undefined };
  return isDeepStrictEqual(stored, row) ? [] : [row];
}

/** A slug names one survey, or an erasure by slug would mean more than one. */
function checkSlugs({ id, surveys }: DesiredProject, others: readonly SurveyRecord[]): void {
  for (const { definition } of surveys) {
    const other = others.find(({ slug }) => slug === definition.slug);
    if (!other) continue;
    const maker = other.managedBy === "command" ? "a command made" : "the config file of `serve` has";
    throw new UsageError(
      `In the project "${id}" the slug "${definition.slug}" belongs to the survey "${other.id}", which ${maker}: give one of the two another slug.`,
    );
  }
}

/** Surveys that came from a config and are no longer in it are deleted. @throws UsageError for a slug that another survey has */
function surveysChange(
  desired: DesiredProject,
  stored: StoredProject | undefined,
  { now, isAdding }: ChangeMaterial,
): SurveyRecord[] {
  const storedById = new Map((stored?.surveys ?? []).map((survey) => [survey.id, survey]));
  const wantedIds = new Set(desired.surveys.map(({ definition }) => definition.id));
  const others = [...storedById.values()].filter(
    ({ id, deletedAt }) => deletedAt === undefined && !wantedIds.has(id),
  );
  const isDropped = ({ managedBy }: SurveyRecord) => !isAdding && managedBy === "config";
  checkSlugs(
    desired,
    others.filter((survey) => !isDropped(survey)),
  );
  const changed = desired.surveys.flatMap((survey) => {
    const current = storedById.get(survey.definition.id);
    const isConfigured = !isAdding || (current?.managedBy === "config" && !current.deletedAt);
    return surveyChange(desired.id, survey, current, isConfigured ? "config" : "command");
  });
  return [...changed, ...others.filter(isDropped).map((survey) => ({ ...survey, deletedAt: now }))];
}

/**
 * Returns the rows to write so that the database says what the config says; none when it does already.
 * @throws UsageError for a slug that another survey has
 */
export function configChange(
  desired: readonly DesiredProject[],
  stored: readonly StoredProject[],
  material: ChangeMaterial,
): ConfigChange {
  const change = { projects: [] as ProjectRecord[], keys: [] as KeyRecord[], surveys: [] as SurveyRecord[] };
  const secretKeys = new Map<string, string>();
  for (const project of desired) {
    const current = stored.find(({ id }) => id === project.id);
    const publishable = keyChange("publishable", project, current, material);
    const secret = keyChange("secret", project, current, material);
    change.projects.push(...projectChange(project, current, material));
    change.keys.push(...publishable.records, ...secret.records);
    change.surveys.push(...surveysChange(project, current, material));
    if (secret.generated) secretKeys.set(project.id, secret.generated);
  }
  return { ...change, secretKeys };
}
