import { type SurveyDefinition } from "@afterword/protocol";
import { type Insertable, type Selectable } from "kysely";
import {
  type AskAgain,
  type GatingRules,
  type KeyRecord,
  type ManagedBy,
  type ProjectRecord,
  type StoredProject,
  type SurveyRecord,
  type SurveyStatus,
} from "../store.ts";
import { type Schema } from "../schema.ts";

// Rows of the directory and what the domain makes of them, for both databases.

function projectFromRow(row: Selectable<Schema["projects"]>): ProjectRecord {
  return {
    id: row.id,
    name: row.name,
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    gating: JSON.parse(row.gating) as GatingRules,
    epoch: row.epoch,
    secrets: row.secrets,
    createdAt: row.created_at,
  };
}

export function projectToRow(project: ProjectRecord): Insertable<Schema["projects"]> {
  return {
    id: project.id,
    name: project.name,
    allowed_origins: JSON.stringify(project.allowedOrigins),
    gating: JSON.stringify(project.gating),
    epoch: project.epoch,
    secrets: project.secrets,
    created_at: project.createdAt,
  };
}

function keyFromRow(row: Selectable<Schema["keys"]>): KeyRecord {
  return {
    id: row.id,
    projectId: row.project_id,
    kind: row.kind as KeyRecord["kind"],
    digest: row.digest,
    publishableKey: row.publishable_key ?? undefined,
    display: row.display,
    managedBy: row.managed_by as ManagedBy,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

export function keyToRow(key: KeyRecord): Insertable<Schema["keys"]> {
  return {
    id: key.id,
    project_id: key.projectId,
    kind: key.kind,
    digest: key.digest,
    publishable_key: key.publishableKey ?? null,
    display: key.display,
    managed_by: key.managedBy,
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    last_used_at: key.lastUsedAt ?? null,
  };
}

function surveyFromRow(row: Selectable<Schema["surveys"]>): SurveyRecord {
  return {
    projectId: row.project_id,
    id: row.id,
    slug: row.slug,
    version: row.version,
    definition: JSON.parse(row.definition) as SurveyDefinition,
    status: row.status as SurveyStatus,
    maximum: row.maximum ?? undefined,
    askAgain: row.ask_again === null ? undefined : (JSON.parse(row.ask_again) as AskAgain),
    unprompted: row.unprompted === 1 || undefined,
    managedBy: row.managed_by as ManagedBy,
    deletedAt: row.deleted_at ?? undefined,
  };
}

export function surveyToRow(survey: SurveyRecord): Insertable<Schema["surveys"]> {
  return {
    project_id: survey.projectId,
    id: survey.id,
    slug: survey.slug,
    version: survey.version,
    definition: JSON.stringify(survey.definition),
    status: survey.status,
    maximum: survey.maximum ?? null,
    ask_again: survey.askAgain ? JSON.stringify(survey.askAgain) : null,
    unprompted: survey.unprompted ? 1 : null,
    managed_by: survey.managedBy,
    deleted_at: survey.deletedAt ?? null,
  };
}

/** Projects in the order of their rows, each with its keys and surveys in the order of theirs. */
export function assembleDirectory(
  projects: readonly Selectable<Schema["projects"]>[],
  keys: readonly Selectable<Schema["keys"]>[],
  surveys: readonly Selectable<Schema["surveys"]>[],
): StoredProject[] {
  return projects.map((project) => ({
    ...projectFromRow(project),
    keys: keys.filter((key) => key.project_id === project.id).map(keyFromRow),
    surveys: surveys.filter((survey) => survey.project_id === project.id).map(surveyFromRow),
  }));
}
