import {
  type DirectoryChange,
  type KeyRecord,
  type ProjectRecord,
  type StoredProject,
  type SurveyRecord,
} from "../store.ts";
import { assembleDirectory, keyToRow, projectToRow, surveyToRow } from "../directory-rows.ts";
import { all, build, run, type Connection } from "./build.ts";

export async function directoryVersion(connection: Connection): Promise<number> {
  const [row] = await all(connection, build.selectFrom("directory").select("version"));
  return row?.version ?? 0;
}

/** All projects with keys and surveys, in the order in which they were created. */
export async function readDirectory(connection: Connection): Promise<StoredProject[]> {
  const projectRows = build.selectFrom("projects").selectAll().orderBy("created_at").orderBy("id");
  const keyRows = build.selectFrom("keys").selectAll().orderBy("created_at").orderBy("id");
  const surveyRows = build.selectFrom("surveys").selectAll().orderBy("id");
  return assembleDirectory(
    await all(connection, projectRows),
    await all(connection, keyRows),
    await all(connection, surveyRows),
  );
}

function putProject(connection: Connection, project: ProjectRecord): Promise<number> {
  const { id, ...row } = projectToRow(project);
  const query = build.insertInto("projects").values({ id, ...row });
  return run(
    connection,
    query.onConflict((conflict) => conflict.column("id").doUpdateSet(row)),
  );
}

function putKey(connection: Connection, key: KeyRecord): Promise<number> {
  const { last_used_at: _, id, ...row } = keyToRow(key);
  const query = build.insertInto("keys").values({ id, ...row });
  return run(
    connection,
    query.onConflict((conflict) => conflict.column("id").doUpdateSet(row)),
  );
}

function putSurvey(connection: Connection, survey: SurveyRecord): Promise<number> {
  const row = surveyToRow(survey);
  const query = build.insertInto("surveys").values(row);
  return run(
    connection,
    query.onConflict((conflict) => conflict.columns(["project_id", "id"]).doUpdateSet(row)),
  );
}

/** Also the lock of the directory: whoever has raised the version keeps all others waiting until it commits. */
export function bumpDirectory(connection: Connection): Promise<number> {
  return run(
    connection,
    build.updateTable("directory").set(({ eb }) => ({ version: eb("version", "+", 1) })),
  );
}

/** Call inside a transaction. */
export async function changeDirectory(
  connection: Connection,
  decide: (current: StoredProject[]) => DirectoryChange,
): Promise<void> {
  // Before reading, so that what is read stays true until the commit.
  await all(connection, build.selectFrom("directory").select("version").forUpdate());
  const { projects = [], keys = [], surveys = [] } = decide(await readDirectory(connection));
  if (projects.length + keys.length + surveys.length === 0) return;
  for (const project of projects) await putProject(connection, project);
  for (const key of keys) await putKey(connection, key);
  for (const survey of surveys) await putSurvey(connection, survey);
  await bumpDirectory(connection);
}

/** In one statement and in one order, so that nodes which do so at once cannot lock each other out. */
const recordUses = `
  WITH used AS MATERIALIZED (
    SELECT keys.id, use.at FROM keys JOIN unnest($1::text[], $2::bigint[]) AS use (id, at) ON use.id = keys.id
    ORDER BY keys.id FOR NO KEY UPDATE OF keys
  )
  UPDATE keys SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE keys.id = used.id`;

export async function recordKeyUse(
  connection: Connection,
  lastUsedAtByKeyId: ReadonlyMap<string, number>,
): Promise<void> {
  await connection.query(recordUses, [[...lastUsedAtByKeyId.keys()], [...lastUsedAtByKeyId.values()]]);
}

/** The first proposal under a name stays. */
export async function agreeOn(connection: Connection, name: string, proposal: string): Promise<string> {
  const insert = build.insertInto("agreements").values({ name, value: proposal });
  await run(
    connection,
    insert.onConflict((conflict) => conflict.column("name").doNothing()),
  );
  return (await agreement(connection, name))!;
}

export async function agreement(connection: Connection, name: string): Promise<string | undefined> {
  const query = build.selectFrom("agreements").select("value").where("name", "=", name);
  return (await all(connection, query))[0]?.value;
}
