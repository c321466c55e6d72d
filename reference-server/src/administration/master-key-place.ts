import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Clock } from "../domain/clock.ts";
import { MasterKey, masterKeyLength, type MasterKeySource } from "../domain/master-keys.ts";
import { UsageError } from "../domain/usage-error.ts";
import { databasePlace } from "../store/open-store.ts";
import { flush } from "../store/sqlite/connection.ts";
import { type Store } from "../store/store.ts";

export interface MasterKeyOptions {
  /** The value of AFTERWORD_MASTER_KEY: keys of 32 bytes in hex or base64, with a comma or a space between two. */
  given?: string;
  /** A file with the same. */
  keyFile?: string;
  /** The database; with SQLite, the first start creates a key file beside it. */
  database: string;
  store: Store;
  clock: Clock;
}

export interface MasterKeyPlace {
  kind: "variable" | "memory" | "file" | "database";
  read: MasterKeySource;
}

function decode(text: string, source: string): MasterKey[] {
  const keys = text.split(/[\s,]+/).filter((part) => part !== "");
  const decoded = keys.map((key) => Buffer.from(key, /^[0-9a-f]{64}$/i.test(key) ? "hex" : "base64"));
  if (decoded.length > 0 && decoded.every(({ length }) => length === masterKeyLength))
    return decoded.map((bytes) => new MasterKey(bytes));
  throw new UsageError(
    `${source} must contain 32 bytes in hex or base64; create a key with: openssl rand -hex 32`,
  );
}

/** @throws UsageError when the file is missing, unreadable or holds no key */
function readKeyFile(path: string): MasterKey[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // An unreadable key must not be overwritten with a new one.
    const remedy =
      code === "ENOENT"
        ? `The key file ${path} does not exist; create it with: openssl rand -hex 32 > ${path}`
        : `Could not read the key file ${path}: ${message}. It must belong to the user that runs this.`;
    throw new UsageError(remedy, { cause: error });
  }
  return decode(text, `The key file ${path}`);
}

/** Links the file to its name once it is complete and on disk: no reader sees half a key, and no crash loses it. */
function create(path: string): void {
  const unfinished = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(unfinished, `${MasterKey.random().hex}\n`, { mode: 0o600, flag: "wx", flush: true });
    linkSync(unfinished, path);
    flush(dirname(path));
  } catch (error) {
    // Another process was first; use its key.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

const hasMasterKey = async (store: Store) => (await store.masterKeys()).length > 0;

const byHand = "with --key-file or AFTERWORD_MASTER_KEY";

/** Creates a key for a new database only: a new key is useless for an older one, and would hide that its own is lost. */
async function keysBeside(path: string, store: Store): Promise<MasterKey[]> {
  if (!existsSync(path)) {
    if (await hasMasterKey(store))
      throw new UsageError(
        `The key file ${path} is missing: put it back beside the database, or pass the key ${byHand}.`,
      );
    // Two processes that start at once end up with the same one.
    create(path);
  }
  return readKeyFile(path);
}

async function keysInside(store: Store, clock: Clock): Promise<MasterKey[]> {
  if (!(await hasMasterKey(store))) {
    const { id, hex: key } = MasterKey.random();
    const made = { id, since: clock.now(), key };
    await store.changeDirectory((_, records) => (records.length > 0 ? {} : { masterKeys: [made] }));
  }
  const records = await store.masterKeys();
  const keys = records.flatMap(({ key }) => (key === undefined ? [] : decode(key, "The database")));
  if (keys.length > 0) return keys;
  throw new UsageError(`The master key is not stored in this database: pass it ${byHand}.`);
}

/** The keys that can be read without opening the database; none where they are in it, or there are none yet. */
export function givenMasterKeys({
  given,
  keyFile,
  database,
}: Pick<MasterKeyOptions, "given" | "keyFile" | "database">): MasterKey[] {
  if (given) return decode(given, "AFTERWORD_MASTER_KEY");
  if (keyFile) return readKeyFile(keyFile);
  const place = databasePlace(database);
  return place.kind === "file" && existsSync(place.keyFile) ? readKeyFile(place.keyFile) : [];
}

/**
 * Finds the master key that all other keys derive from. Without a given key PostgreSQL stores it in the
 * database, which the caller warns about, because dumps then contain it. Reading throws a UsageError when the key of
 * an existing database is missing.
 */
export function masterKeyPlace({ given, keyFile, database, store, clock }: MasterKeyOptions): MasterKeyPlace {
  if (given) return { kind: "variable", read: async () => decode(given, "AFTERWORD_MASTER_KEY") };
  if (keyFile) return { kind: "file", read: async () => readKeyFile(keyFile) };
  const place = databasePlace(database);
  if (place.kind === "server") return { kind: "database", read: () => keysInside(store, clock) };
  if (place.kind === "file") return { kind: "file", read: () => keysBeside(place.keyFile, store) };
  const key = MasterKey.random();
  return { kind: "memory", read: async () => [key] };
}
