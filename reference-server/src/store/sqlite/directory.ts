import { type DirectoryChange, type MasterKeyRecord, type Store, type StoredProject } from "../store.ts";
import { columns, rowOf, storedProjects } from "../shared-rows.ts";
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

/** Inserts an entry, or replaces all that a change writes of it. */
function put(table: keyof typeof columns): string {
  const names = columns[table].split(" ");
  const stored = names.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return `
    INSERT INTO ${table} (${stored.join()}) VALUES (${names.map((name) => `@${name}`).join()})
    ON CONFLICT DO UPDATE SET ${stored.map((column) => `${column} = excluded.${column}`).join()}`;
}

const putMasterKeys = `
  INSERT INTO agreements (name, value) VALUES ('master-keys', ?) ON CONFLICT DO UPDATE SET value = excluded.value`;

export function directoryMethods({ connection, read, write }: Access) {
  const statements = {
    version: connection.prepare<[], number>("SELECT version FROM directory").pluck(),
    raiseVersion: connection.prepare("UPDATE directory SET version = version + 1"),
    projects: connection.prepare<[], { id: string }>(projects),
    keys: connection.prepare<[], { projectId: string }>(keys),
    surveys: connection.prepare<[], { projectId: string }>(surveys),
    putProject: connection.prepare(put("projects")),
    putKey: connection.prepare(put("keys")),
    putSurvey: connection.prepare(put("surveys")),
    masterKeys: connection
      .prepare<[], string>("SELECT value FROM agreements WHERE name = 'master-keys'")
      .pluck(),
    putMasterKeys: connection.prepare<[string]>(putMasterKeys),
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

  return {
    directoryVersion: () => read(() => statements.version.get() ?? 0),
    readDirectory: () => read(readDirectory),
    masterKeys: () => read(masterKeys),
    changeDirectory: (decide) => write(() => change(decide(readDirectory(), masterKeys()))),
  } satisfies Partial<Store>;
}
