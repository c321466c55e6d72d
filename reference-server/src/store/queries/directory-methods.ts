import { type MasterKeyRecord, type Store, type StoredProject } from "../store.ts";
import { assembleDirectory, keyToRow, projectToRow, surveyToRow } from "./directory-rows.ts";
import { build, rowsOf, type Work, type WorkRunner } from "./work.ts";

function* directoryVersion(): Work<number> {
  const [row] = yield* rowsOf(build.selectFrom("directory").select("version"));
  return row?.version ?? 0;
}

/** All projects with keys and surveys, in the order in which they were created. */
function* readDirectory(): Work<StoredProject[]> {
  return assembleDirectory(
    yield* rowsOf(build.selectFrom("projects").selectAll().orderBy("created_at").orderBy("id")),
    yield* rowsOf(build.selectFrom("keys").selectAll().orderBy("created_at").orderBy("id")),
    yield* rowsOf(build.selectFrom("surveys").selectAll().orderBy("id")),
  );
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
  for (const row of projects.map(projectToRow)) {
    yield build
      .insertInto("projects")
      .values(row)
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
  }
  for (const { last_used_at: _, ...row } of keys.map(keyToRow)) {
    yield build
      .insertInto("keys")
      .values(row)
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
  }
  for (const row of surveys.map(surveyToRow)) {
    const survey = build.insertInto("surveys").values(row);
    yield survey.onConflict((conflict) => conflict.columns(["project_id", "id"]).doUpdateSet(row));
  }
  yield bumpDirectory();
}

/** In one order, so that nodes that do this at the same time cannot lock each other out. */
function* recordKeyUse(lastUsedAtByKeyId: ReadonlyMap<string, number>): Work<void> {
  for (const [id, at] of [...lastUsedAtByKeyId].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    yield build
      .updateTable("keys")
      .set({ last_used_at: at })
      .where("id", "=", id)
      .where(({ eb, or }) => or([eb("last_used_at", "is", null), eb("last_used_at", "<", at)]));
  }
}

function* agreement(name: string): Work<string | undefined> {
  const [row] = yield* rowsOf(build.selectFrom("agreements").select("value").where("name", "=", name));
  return row?.value;
}

/** The first proposal under a name stays. */
function* agreeOn(name: string, proposal: string): Work<string> {
  const insert = build.insertInto("agreements").values({ name, value: proposal });
  yield insert.onConflict((conflict) => conflict.column("name").doNothing());
  return (yield* agreement(name))!;
}

function* changeAgreement(name: string, value: string): Work<void> {
  const insert = build.insertInto("agreements").values({ name, value });
  yield insert.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }));
}

type DirectoryMethod =
  | "directoryVersion"
  | "readDirectory"
  | "masterKeys"
  | "changeDirectory"
  | "recordKeyUse"
  | "agreeOn"
  | "agreement"
  | "changeAgreement";

/** What a store knows of projects, keys and surveys. */
export function directoryMethods({ read, write }: WorkRunner): Pick<Store, DirectoryMethod> {
  return {
    directoryVersion: () => read(directoryVersion),
    readDirectory: () => read(readDirectory),
    masterKeys: () => read(masterKeys),
    changeDirectory: (decide) => write(() => changeDirectory(decide)),
    recordKeyUse: (uses) => write(() => recordKeyUse(uses)),
    agreeOn: (name, proposal) => write(() => agreeOn(name, proposal)),
    agreement: (name) => read(() => agreement(name)),
    changeAgreement: (name, value) => write(() => changeAgreement(name, value)),
  };
}
