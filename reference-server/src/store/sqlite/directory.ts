import {
  type DirectoryChange,
  type KeyUses,
  type MasterKeyRecord,
  type Store,
  type StoredProject,
} from "../store.ts";
import { laterUses, rowOf, storedProjects } from "../directory-rows.ts";
import { type Access } from "./connection.ts";

const projects = `
  SELECT id, name, allowed_origins AS allowedOrigins, gating, epoch, secrets, created_at AS createdAt
  FROM projects ORDER BY created_at, id`;
const keys = `
  SELECT id, project_id AS projectId, kind, scopes, digest, publishable_key AS publishableKey, display,
    managed_by AS managedBy, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt, uses
  FROM keys ORDER BY created_at, id`;
const surveys = `
  SELECT project_id AS projectId, id, slug, version, definition, status, maximum, ask_again AS askAgain, unprompted,
    sampling, managed_by AS managedBy, deleted_at AS deletedAt
  FROM surveys ORDER BY id`;

const putProject = `
  INSERT INTO projects (id, name, allowed_origins, gating, epoch, secrets, created_at)
  VALUES (@id, @name, @allowedOrigins, @gating, @epoch, @secrets, @createdAt)
  ON CONFLICT DO UPDATE SET name = excluded.name, allowed_origins = excluded.allowed_origins, gating = excluded.gating,
    epoch = excluded.epoch, secrets = excluded.secrets, created_at = excluded.created_at`;
// Without the uses, which only `recordKeyUse` writes.
const putKey = `
  INSERT INTO keys (id, project_id, kind, scopes, digest, publishable_key, display, managed_by, created_at, expires_at,
    revoked_at)
  VALUES (@id, @projectId, @kind, @scopes, @digest, @publishableKey, @display, @managedBy, @createdAt, @expiresAt,
    @revokedAt)
  ON CONFLICT DO UPDATE SET project_id = excluded.project_id, kind = excluded.kind, scopes = excluded.scopes,
    digest = excluded.digest, publishable_key = excluded.publishable_key, display = excluded.display,
    managed_by = excluded.managed_by, created_at = excluded.created_at, expires_at = excluded.expires_at,
    revoked_at = excluded.revoked_at`;
const putSurvey = `
  INSERT INTO surveys (project_id, id, slug, version, definition, status, maximum, ask_again, unprompted, sampling,
    managed_by, deleted_at)
  VALUES (@projectId, @id, @slug, @version, @definition, @status, @maximum, @askAgain, @unprompted, @sampling,
    @managedBy, @deletedAt)
  ON CONFLICT DO UPDATE SET slug = excluded.slug, version = excluded.version, definition = excluded.definition,
    status = excluded.status, maximum = excluded.maximum, ask_again = excluded.ask_again,
    unprompted = excluded.unprompted, sampling = excluded.sampling, managed_by = excluded.managed_by,
    deleted_at = excluded.deleted_at`;
const putMasterKeys = `
  INSERT INTO agreements (name, value) VALUES ('master-keys', ?) ON CONFLICT DO UPDATE SET value = excluded.value`;

export function directoryMethods({ connection, read, write }: Access) {
  const statements = {
    version: connection.prepare<[], number>("SELECT version FROM directory").pluck(),
    raiseVersion: connection.prepare("UPDATE directory SET version = version + 1"),
    projects: connection.prepare<[], { id: string }>(projects),
    keys: connection.prepare<[], { projectId: string }>(keys),
    surveys: connection.prepare<[], { projectId: string }>(surveys),
    putProject: connection.prepare(putProject),
    putKey: connection.prepare(putKey),
    putSurvey: connection.prepare(putSurvey),
    masterKeys: connection
      .prepare<[], string>("SELECT value FROM agreements WHERE name = 'master-keys'")
      .pluck(),
    putMasterKeys: connection.prepare<[string]>(putMasterKeys),
    uses: connection.prepare<[string], { uses: string | null }>("SELECT uses FROM keys WHERE id = ?"),
    putUses: connection.prepare<[string, string]>("UPDATE keys SET uses = ? WHERE id = ?"),
  };

  /** All projects with keys and surveys, in the order in which they were created. */
  function readDirectory(): StoredProject[] {
    return storedProjects(statements.projects.all(), statements.keys.all(), statements.surveys.all());
  }

  const masterKeys = () => JSON.parse(statements.masterKeys.get() ?? "[]") as readonly MasterKeyRecord[];

  function change(changed: DirectoryChange): void {
    const entries = [...(changed.projects ?? []), ...(changed.keys ?? []), ...(changed.surveys ?? [])];
    if (entries.length === 0 && !changed.masterKeys) return;
    if (changed.masterKeys) statements.putMasterKeys.run(JSON.stringify(changed.masterKeys));
    for (const project of changed.projects ?? []) statements.putProject.run(rowOf("projects", project));
    for (const key of changed.keys ?? []) statements.putKey.run(rowOf("keys", key));
    for (const survey of changed.surveys ?? []) statements.putSurvey.run(rowOf("surveys", survey));
    statements.raiseVersion.run();
  }

  /** Keeps the later time of each use. */
  function recordKeyUse(usesByKeyId: ReadonlyMap<string, KeyUses>): void {
    for (const [id, uses] of usesByKeyId) {
      statements.putUses.run(laterUses(statements.uses.get(id)?.uses ?? null, uses), id);
    }
  }

  return {
    directoryVersion: () => read(() => statements.version.get() ?? 0),
    readDirectory: () => read(readDirectory),
    masterKeys: () => read(masterKeys),
    changeDirectory: (decide) => write(() => change(decide(readDirectory(), masterKeys()))),
    recordKeyUse: (uses) => write(() => recordKeyUse(uses)),
  } satisfies Partial<Store>;
}
