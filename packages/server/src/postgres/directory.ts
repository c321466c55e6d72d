import { type Insertable } from "kysely";
import { agreement, changeAgreement, lockDirectory } from "../store/agreements.ts";
import {
  type KeyRecord,
  type KeyUses,
  type MasterKeyRecord,
  type ProjectRecord,
  type Store,
  type StoredProject,
  type SurveyRecord,
} from "@afterword/reference-server/internal";
import { type Schema, type Queries, type QueryRunner } from "@afterword/results/store";

async function directoryVersion(queries: Queries): Promise<number> {
  const row = await queries.selectFrom("directory").select("version").executeTakeFirst();
  return row?.version ?? 0;
}

const jsonColumns: ReadonlySet<string> = new Set([
  "allowedOrigins",
  "scopes",
  "uses",
  "gating",
  "definition",
  "askAgain",
  "sampling",
]);
/** What an entry has beside its own row, and what only `recordKeyUse` writes. */
const notWritten: ReadonlySet<string> = new Set(["keys", "surveys", "uses"]);
/** An entry replaces what is stored, also by nothing. */
const blankKey = { scopes: undefined, publishableKey: undefined, expiresAt: undefined, revokedAt: undefined };
const blankSurvey = {
  maximum: undefined,
  askAgain: undefined,
  unprompted: undefined,
  sampling: undefined,
  deletedAt: undefined,
};

function toColumn(value: unknown): unknown {
  if (typeof value === "object") return JSON.stringify(value);
  return typeof value === "boolean" ? Number(value) || null : (value ?? null);
}

function toRow<Row>(entry: object): Insertable<Row> {
  const written = Object.entries(entry).filter(([column]) => !notWritten.has(column));
  return Object.fromEntries(written.map(([column, value]) => [column, toColumn(value)])) as Insertable<Row>;
}

function fromColumn(column: string, value: unknown): unknown {
  if (value === null) return undefined;
  if (column === "unprompted") return value === 1;
  return jsonColumns.has(column) ? JSON.parse(value as string) : value;
}

const fromRow = <Entry>(row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, fromColumn(column, value)]),
  ) as Entry;

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
  return projects.map((project) => ({
    ...fromRow<ProjectRecord>(project),
    keys: keys.filter((key) => key.projectId === project.id).map(fromRow<KeyRecord>),
    surveys: surveys.filter((survey) => survey.projectId === project.id).map(fromRow<SurveyRecord>),
  }));
}

/** Raises the version. Also the lock of the directory: other changes wait until the transaction ends. */
export async function bumpDirectory(queries: Queries): Promise<void> {
  await queries
    .updateTable("directory")
    .set(({ eb }) => ({ version: eb("version", "+", 1) }))
    .execute();
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
  for (const row of projects.map(toRow<Schema["projects"]>)) {
    const insert = queries.insertInto("projects").values(row);
    await insert.onConflict((conflict) => conflict.column("id").doUpdateSet(row)).execute();
  }
  for (const row of keys.map((key) => toRow<Schema["keys"]>({ ...blankKey, ...key }))) {
    const insert = queries.insertInto("keys").values(row);
    await insert.onConflict((conflict) => conflict.column("id").doUpdateSet(row)).execute();
  }
  for (const row of surveys.map((survey) => toRow<Schema["surveys"]>({ ...blankSurvey, ...survey }))) {
    const insert = queries.insertInto("surveys").values(row);
    await insert.onConflict((conflict) => conflict.columns(["projectId", "id"]).doUpdateSet(row)).execute();
  }
  await bumpDirectory(queries);
}

const later = (one: KeyUses, other: KeyUses): KeyUses =>
  Object.fromEntries(
    Object.entries({ ...one, ...other }).map(([use, at]) => [
      use,
      Math.max(at, one[use as keyof KeyUses] ?? at),
    ]),
  );

/** Keeps the later time of each use. Under the directory's lock, since other nodes do the same. */
async function recordKeyUse(queries: Queries, usesByKeyId: ReadonlyMap<string, KeyUses>): Promise<void> {
  await lockDirectory(queries);
  const ids = [...usesByKeyId.keys()];
  const stored = await queries.selectFrom("keys").select(["id", "uses"]).where("id", "in", ids).execute();
  for (const { id, uses } of stored) {
    const known = JSON.parse(uses ?? "{}") as KeyUses;
    const merged = JSON.stringify(later(known, usesByKeyId.get(id)!));
    await queries.updateTable("keys").set({ uses: merged }).where("id", "=", id).execute();
  }
}

export const directoryMethods = ({ read, write }: QueryRunner) =>
  ({
    directoryVersion: () => read(directoryVersion),
    readDirectory: () => read(readDirectory),
    masterKeys: () => read(masterKeys),
    changeDirectory: (decide) => write((queries) => changeDirectory(queries, decide)),
    recordKeyUse: (uses) => write((queries) => recordKeyUse(queries, uses)),
  }) satisfies Partial<Store>;
