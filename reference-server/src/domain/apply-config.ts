import { isDeepStrictEqual } from "node:util";
import { type SurveyDefinition } from "@afterword/protocol";
import { digestOfKey, displayOfKey, generateKey, type KeyKind } from "./api-key.ts";
import { UsageError } from "./usage-error.ts";
import {
  type DirectoryChange,
  type GatingRules,
  type KeyRecord,
  type ManagedBy,
  type ProjectRecord,
  type StoredProject,
  type SurveyRecord,
} from "../store/project.ts";

/** A project as a config lists it. */
export interface DesiredProject {
  id: string;
  name: string;
  publishableKey?: string;
  secretKey?: string;
  allowedOrigins: string[];
  gating: GatingRules;
  surveys: DesiredSurvey[];
}

/** A survey as a config or an import lists it; its definition alone decides about its version. */
export interface DesiredSurvey extends Pick<SurveyRecord, "status" | "maximum" | "askAgain" | "unprompted"> {
  definition: SurveyDefinition;
}

/** What a start needs beside the config; fixed once, so that deciding again decides the same. */
export interface StartMaterial {
  now: number;
  /** Two keys, sealed secrets and ids that are used only where something is missing. */
  generated: ReadonlyMap<string, GeneratedMaterial>;
}

interface GeneratedMaterial {
  publishableKey: string;
  secretKey: string;
  secrets: string;
  keyIds: Record<KeyKind, string>;
}

export function startMaterial(
  projects: readonly DesiredProject[],
  now: number,
  randomHex: (bytes: number) => string,
  newSecrets: (projectId: string) => string,
): StartMaterial {
  const generated = projects.map(({ id }) => {
    const material: GeneratedMaterial = {
      publishableKey: generateKey("publishable"),
      secretKey: generateKey("secret"),
      secrets: newSecrets(id),
      keyIds: { publishable: `key_${randomHex(8)}`, secret: `key_${randomHex(8)}` },
    };
    return [id, material] as const;
  });
  return { now, generated: new Map(generated) };
}

/** The row of a new key. */
export function keyRecord(
  key: string,
  row: Pick<KeyRecord, "id" | "projectId" | "kind" | "managedBy" | "createdAt">,
): KeyRecord {
  const publishable = row.kind === "publishable" ? { publishableKey: key } : {};
  return { ...row, ...publishable, digest: digestOfKey(key), display: displayOfKey(key) };
}

function projectChange(
  desired: DesiredProject,
  stored: StoredProject | undefined,
  material: StartMaterial,
): ProjectRecord[] {
  const { id, name, allowedOrigins, gating } = desired;
  const wanted = { id, name, allowedOrigins, gating };
  if (!stored) {
    const { secrets } = material.generated.get(id)!;
    return [{ ...wanted, epoch: 1, secrets, createdAt: material.now }];
  }
  const { epoch, secrets, createdAt, keys: _keys, surveys: _surveys, ...current } = stored;
  return isDeepStrictEqual(current, wanted) ? [] : [{ ...wanted, epoch, secrets, createdAt }];
}

/** A key that the config gives is taken as it is; one that it no longer gives is revoked. */
function keyChange(
  kind: KeyKind,
  desired: DesiredProject,
  stored: StoredProject | undefined,
  material: StartMaterial,
): KeyRecord[] {
  const given = kind === "publishable" ? desired.publishableKey : desired.secretKey;
  const digest = given && digestOfKey(given);
  const active = (stored?.keys ?? []).filter((key) => key.kind === kind && key.revokedAt === undefined);
  const dropped = active.filter((key) => key.managedBy === "config" && key.digest !== digest);
  const revoked = dropped.map((key) => ({ ...key, revokedAt: material.now }));
  const hasKey = given ? active.some((key) => key.digest === digest) : active.length > dropped.length;
  if (hasKey) return revoked;
  const { keyIds, ...keys } = material.generated.get(desired.id)!;
  const key = given ?? (kind === "publishable" ? keys.publishableKey : keys.secretKey);
  const row = { id: keyIds[kind], projectId: desired.id, kind, createdAt: material.now } as const;
  // A generated key is in no config file, so removing a line cannot revoke it.
  return [...revoked, keyRecord(key, { ...row, managedBy: given ? "config" : "command" })];
}

/** What has to be written for one survey: nothing when it is stored like this already (decision D114). */
export function surveyChange(
  projectId: string,
  { definition, status, maximum, askAgain, unprompted }: DesiredSurvey,
  stored: SurveyRecord | undefined,
  managedBy: ManagedBy = "config",
): SurveyRecord[] {
  const isSame = stored !== undefined && isDeepStrictEqual(stored.definition, definition);
  const version = stored === undefined ? 1 : isSame ? stored.version : stored.version + 1;
  const { id, slug } = definition;
  const settings = { status, maximum, askAgain, unprompted, managedBy, deletedAt: undefined };
  const row: SurveyRecord = { projectId, id, slug, version, definition, ...settings };
  return isDeepStrictEqual(stored, row) ? [] : [row];
}

/** Surveys that came from a config and are no longer in it are deleted (decision D119). */
function surveysChange(
  desired: DesiredProject,
  stored: StoredProject | undefined,
  material: StartMaterial,
): SurveyRecord[] {
  const storedById = new Map((stored?.surveys ?? []).map((survey) => [survey.id, survey]));
  const wantedIds = new Set(desired.surveys.map(({ definition }) => definition.id));
  const changed = desired.surveys.flatMap((survey) =>
    surveyChange(desired.id, survey, storedById.get(survey.definition.id)),
  );
  const dropped = [...storedById.values()].filter(
    (survey) => survey.managedBy === "config" && survey.deletedAt === undefined && !wantedIds.has(survey.id),
  );
  return [...changed, ...dropped.map((survey) => ({ ...survey, deletedAt: material.now }))];
}

/** A slug names one survey, or an erasure by slug would mean more than one. */
function checkSlugs(desired: DesiredProject, stored: StoredProject | undefined): void {
  const others = (stored?.surveys ?? []).filter(
    (survey) => survey.managedBy === "command" && survey.deletedAt === undefined,
  );
  for (const { definition } of desired.surveys) {
    const other = others.find(({ id, slug }) => slug === definition.slug && id !== definition.id);
    if (!other) continue;
    throw new UsageError(
      `In the project "${desired.id}" the slug "${definition.slug}" belongs to the survey "${other.id}", which a command made: give one of the two another slug.`,
    );
  }
}

/**
 * What has to be written so that the database says what the config says; nothing when it does already.
 * @throws UsageError for a slug that another survey has
 */
export function configChange(
  desired: readonly DesiredProject[],
  stored: readonly StoredProject[],
  material: StartMaterial,
): DirectoryChange {
  const storedById = new Map(stored.map((project) => [project.id, project]));
  const changes = desired.map((project) => {
    const current = storedById.get(project.id);
    checkSlugs(project, current);
    return {
      projects: projectChange(project, current, material),
      keys: (["publishable", "secret"] as const).flatMap((kind) =>
        keyChange(kind, project, current, material),
      ),
      surveys: surveysChange(project, current, material),
    };
  });
  return {
    projects: changes.flatMap((change) => change.projects),
    keys: changes.flatMap((change) => change.keys),
    surveys: changes.flatMap((change) => change.surveys),
  };
}
