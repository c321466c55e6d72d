import { sql } from "kysely";
import {
  type DirectoryChange,
  type KeyRecord,
  type ProjectRecord,
  type StoredProject,
  type SurveyRecord,
} from "../store.ts";
import { all, build, run } from "./build.ts";
import { type Connection } from "./connection.ts";
import { assembleDirectory, keyToRow, projectToRow, surveyToRow } from "../directory-rows.ts";

export function directoryVersion(connection: Connection): number {
  return all(connection, build.selectFrom("directory").select("version"))[0]?.version ?? 0;
}

/** All projects with keys and surveys, in the order in which they were created. */
export function readDirectory(connection: Connection): StoredProject[] {
  const projectRows = build.selectFrom("projects").selectAll().orderBy("created_at").orderBy("id");
  const keyRows = build.selectFrom("keys").selectAll().orderBy("created_at").orderBy("id");
  const surveyRows = build.selectFrom("surveys").selectAll().orderBy("id");
  return assembleDirectory(
    all(connection, projectRows),
    all(connection, keyRows),
    all(connection, surveyRows),
  );
}

function putProject(connection: Connection, project: ProjectRecord): void {
  const row = projectToRow(project);
  run(
    connection,
    build
      .insertInto("projects")
      .values(row)
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row)),
  );
}

function putKey(connection: Connection, key: KeyRecord): void {
  const { last_used_at: _, ...row } = keyToRow(key);
  run(
    connection,
    build
      .insertInto("keys")
      .values(row)
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row)),
  );
}

function putSurvey(connection: Connection, survey: SurveyRecord): void {
  const row = surveyToRow(survey);
  const query = build.insertInto("surveys").values(row);
  run(
    connection,
    query.onConflict((conflict) => conflict.columns(["project_id", "id"]).doUpdateSet(row)),
  );
}

export function bumpDirectory(connection: Connection): void {
  run(
    connection,
    build.updateTable("directory").set(({ eb }) => ({ version: eb("version", "+", 1) })),
  );
}

/** Call inside a transaction. */
export function writeDirectory(connection: Connection, change: DirectoryChange): void {
  const { projects = [], keys = [], surveys = [] } = change;
  if (projects.length + keys.length + surveys.length === 0) return;
  for (const project of projects) putProject(connection, project);
  for (const key of keys) putKey(connection, key);
  for (const survey of surveys) putSurvey(connection, survey);
  bumpDirectory(connection);
}

export function recordKeyUse(connection: Connection, lastUsedAtByKeyId: ReadonlyMap<string, number>): void {
  for (const [id, at] of lastUsedAtByKeyId) {
    const latest = sql<number>`max(coalesce(last_used_at, ${at}), ${at})`;
    run(connection, build.updateTable("keys").set({ last_used_at: latest }).where("id", "=", id));
  }
}

/** The first proposal under a name stays. */
export function agreeOn(connection: Connection, name: string, proposal: string): string {
  const insert = build.insertInto("agreements").values({ name, value: proposal });
  run(
    connection,
    insert.onConflict((conflict) => conflict.column("name").doNothing()),
  );
  return agreement(connection, name)!;
}

export function agreement(connection: Connection, name: string): string | undefined {
  return all(connection, build.selectFrom("agreements").select("value").where("name", "=", name))[0]?.value;
}
