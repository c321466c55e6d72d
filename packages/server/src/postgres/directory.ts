import { type Insertable } from "kysely";
import { agreement, changeAgreement, lockDirectory } from "../store/agreements.ts";
import {
  type MasterKeyRecord,
  rowOf,
  storedProjects,
  type Store,
  type StoredProject,
} from "@afterword/reference-server/internal";
import { type Schema, type Queries, type QueryRunner } from "@afterword/results/store";

async function directoryVersion(queries: Queries): Promise<number> {
  const row = await queries.selectFrom("directory").select("version").executeTakeFirst();
  return row?.version ?? 0;
}

/** All projects with keys and surveys, in the order in which they were created. */
async function readDirectory(queries: Queries): Promise<StoredProject[]> {
  const projects = await queries
    .selectFrom("projects")
    .selectAll()
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  const keys = await queries.selectFrom("keys").selectAll().orderBy("createdAt").orderBy("id").execute();
  const surveys = await queries.selectFrom("surveys").selectAll().orderBy("id").execute();
  return storedProjects(projects, keys, surveys);
}

const masterKeysName = "master-keys";

/** The current one first. */
async function masterKeys(queries: Queries): Promise<readonly MasterKeyRecord[]> {
  return JSON.parse((await agreement(queries, masterKeysName)) ?? "[]") as MasterKeyRecord[];
}

async function changeDirectory(
  queries: Queries,
  decide: Parameters<Store["changeDirectory"]>[0],
): Promise<void> {
  // Before reading, so that what is read stays true until the commit.
  await lockDirectory(queries);
  const change = decide(await readDirectory(queries), await masterKeys(queries));
  const { projects = [], keys = [], surveys = [] } = change;
  if (projects.length + keys.length + surveys.length === 0 && !change.masterKeys) return;
  if (change.masterKeys) await changeAgreement(queries, masterKeysName, JSON.stringify(change.masterKeys));
  for (const table of ["projects", "keys", "surveys"] as const)
    for (const entry of change[table] ?? []) {
      const row = rowOf(table, entry) as Insertable<Schema[typeof table]>;
      const insert = queries.insertInto(table).values(row);
      await insert.onConflict((conflict) => conflict.constraint(`${table}_pkey`).doUpdateSet(row)).execute();
    }
  await queries
    .updateTable("directory")
    .set(({ eb }) => ({ version: eb("version", "+", 1) }))
    .execute();
}

export const directoryMethods = ({ read, write }: QueryRunner) =>
  ({
    directoryVersion: () => read(directoryVersion),
    readDirectory: () => read(readDirectory),
    masterKeys: () => read(masterKeys),
    changeDirectory: (decide) => write((queries) => changeDirectory(queries, decide)),
  }) satisfies Partial<Store>;
