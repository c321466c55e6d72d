import { type DirectoryChange, type MasterKeyRecord, type Store, type StoredProject } from "../store.ts";
import { columns, rowOf, storedProjects } from "../shared-rows.ts";
import { type Access } from "./connection.ts";

const namesOf = (table: keyof typeof columns) => columns[table].split(" ");
const columnOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const selected = (table: keyof typeof columns, ...others: string[]) =>
  `SELECT ${[...namesOf(table), ...others].map((name) => `${columnOf(name)} AS ${name}`).join()} FROM ${table}`;

/** Inserts an entry, or replaces all that a change writes of it. */
function put(table: keyof typeof columns): string {
  const names = namesOf(table);
  return `
    INSERT INTO ${table} (${names.map(columnOf).join()}) VALUES (${names.map((name) => `@${name}`).join()})
    ON CONFLICT DO UPDATE SET ${names.map((name) => `${columnOf(name)} = excluded.${columnOf(name)}`).join()}`;
}

const putMasterKeys = `
  INSERT INTO agreements (name, value) VALUES ('master-keys', ?) ON CONFLICT DO UPDATE SET value = excluded.value`;

export function directoryMethods({ connection, read, write }: Access) {
  const statements = {
    version: connection.prepare<[], number>("SELECT version FROM directory").pluck(),
    raiseVersion: connection.prepare("UPDATE directory SET version = version + 1"),
    projects: connection.prepare<[], { id: string }>(`${selected("projects")} ORDER BY created_at, id`),
    keys: connection.prepare<[], { projectId: string }>(
      `${selected("keys", "uses")} ORDER BY created_at, id`,
    ),
    surveys: connection.prepare<[], { projectId: string }>(`${selected("surveys")} ORDER BY id`),
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

  function change({ masterKeys: records, projects = [], keys = [], surveys = [] }: DirectoryChange): void {
    if (projects.length + keys.length + surveys.length === 0 && !records) return;
    if (records) statements.putMasterKeys.run(JSON.stringify(records));
    for (const project of projects) statements.putProject.run(rowOf("projects", project));
    for (const key of keys) statements.putKey.run(rowOf("keys", key));
    for (const survey of surveys) statements.putSurvey.run(rowOf("surveys", survey));
    statements.raiseVersion.run();
  }

  return {
    directoryVersion: () => read(() => statements.version.get() ?? 0),
    readDirectory: () => read(readDirectory),
    masterKeys: () => read(masterKeys),
    changeDirectory: (decide) => write(() => change(decide(readDirectory(), masterKeys()))),
  } satisfies Partial<Store>;
}
