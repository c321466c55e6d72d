import { type Insertable } from "kysely";
import {
  type KeyRecord,
  type MasterKeyRecord,
  type ProjectRecord,
  type Store,
  type StoredProject,
  type SurveyRecord,
} from "../store.ts";
import { type Schema } from "../schema.ts";
import { build, rowsOf, type Work, type WorkRunner } from "./work.ts";

function* directoryVersion(): Work<number> {
  const [row] = yield* rowsOf(build.selectFrom("directory").select("version"));
  return row?.version ?? 0;
}

const jsonColumns: ReadonlySet<string> = new Set(["allowedOrigins", "gating", "definition", "askAgain"]);
/** What an entry has beside its own row, and what only `recordKeyUse` writes. */
const notWritten: ReadonlySet<string> = new Set(["keys", "surveys", "lastUsedAt"]);
/** An entry replaces what is stored, also by nothing. */
const blankKey = { publishableKey: undefined, expiresAt: undefined, revokedAt: undefined };
const blankSurvey = { maximum: undefined, askAgain: undefined, unprompted: undefined, deletedAt: undefined };

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
function* readDirectory(): Work<StoredProject[]> {
  const projects = yield* rowsOf(build.selectFrom("projects").selectAll().orderBy("createdAt").orderBy("id"));
  const keys = yield* rowsOf(build.selectFrom("keys").selectAll().orderBy("createdAt").orderBy("id"));
  const surveys = yield* rowsOf(build.selectFrom("surveys").selectAll().orderBy("id"));
  return projects.map((project) => ({
    ...fromRow<ProjectRecord>(project),
    keys: keys.filter((key) => key.projectId === project.id).map(fromRow<KeyRecord>),
    surveys: surveys.filter((survey) => survey.projectId === project.id).map(fromRow<SurveyRecord>),
  }));
}

/** Raises the version. Also the lock of the directory: other changes wait until the transaction ends. */
export const bumpDirectory = () =>
  build.updateTable("directory").set(({ eb }) => ({ version: eb("version", "+", 1) }));

/** Takes the lock without a change. SQLite has no FOR UPDATE. */
export const lockDirectory = () =>
  build.updateTable("directory").set(({ ref }) => ({ version: ref("version") }));

const masterKeysName = "master-keys";

/** The current one first. */
function* masterKeys(): Work<readonly MasterKeyRecord[]> {
  return JSON.parse((yield* agreement(masterKeysName)) ?? "[]") as MasterKeyRecord[];
}

function* changeDirectory(decide: Parameters<Store["changeDirectory"]>[0]): Work<void> {
  // Before reading, so that what is read stays true until the commit.
  yield lockDirectory();
  const change = decide(yield* readDirectory(), yield* masterKeys());
  const { projects = [], keys = [], surveys = [] } = change;
  if (projects.length + keys.length + surveys.length === 0 && !change.masterKeys) return;
  if (change.masterKeys) yield* changeAgreement(masterKeysName, JSON.stringify(change.masterKeys));
  for (const row of projects.map(toRow<Schema["projects"]>)) {
    const insert = build.insertInto("projects").values(row);
    yield insert.onConflict((conflict) => conflict.column("id").doUpdateSet(row));
  }
  for (const row of keys.map((key) => toRow<Schema["keys"]>({ ...blankKey, ...key }))) {
    const insert = build.insertInto("keys").values(row);
    yield insert.onConflict((conflict) => conflict.column("id").doUpdateSet(row));
  }
  for (const row of surveys.map((survey) => toRow<Schema["surveys"]>({ ...blankSurvey, ...survey }))) {
    const insert = build.insertInto("surveys").values(row);
    yield insert.onConflict((conflict) => conflict.columns(["projectId", "id"]).doUpdateSet(row));
  }
  yield bumpDirectory();
}

/** In one order, so that nodes that do this at the same time cannot lock each other out. */
function* recordKeyUse(lastUsedAtByKeyId: ReadonlyMap<string, number>): Work<void> {
  for (const [id, at] of [...lastUsedAtByKeyId].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    yield build
      .updateTable("keys")
      .set({ lastUsedAt: at })
      .where("id", "=", id)
      .where(({ eb, or }) => or([eb("lastUsedAt", "is", null), eb("lastUsedAt", "<", at)]));
  }
}

function* agreement(name: string): Work<string | undefined> {
  const [row] = yield* rowsOf(build.selectFrom("agreements").select("value").where("name", "=", name));
  return row?.value;
}

function* changeAgreement(name: string, value: string): Work<void> {
  const insert = build.insertInto("agreements").values({ name, value });
  yield insert.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }));
}

export const directoryMethods = ({ read, write }: WorkRunner) =>
  ({
    directoryVersion: () => read(directoryVersion),
    readDirectory: () => read(readDirectory),
    masterKeys: () => read(masterKeys),
    changeDirectory: (decide) => write(() => changeDirectory(decide)),
    recordKeyUse: (uses) => write(() => recordKeyUse(uses)),
    agreement: (name) => read(() => agreement(name)),
    changeAgreement: (name, value) => write(() => changeAgreement(name, value)),
  }) satisfies Partial<Store>;
