import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../domain/usage-error.ts";
import { type ServiceSecrets } from "../domain/service-secrets.ts";
import { databasePlace } from "../store/open-store.ts";
import { flush } from "../store/sqlite/backup.ts";
import { type Store } from "../store/store.ts";

const keyLength = 32;
/** Its name in a PostgreSQL database. */
const nameInside = "master-key";

export interface MasterKeySources {
  /** The value of AFTERWORD_MASTER_KEY: 32 bytes in hex or base64. */
  given?: string;
  /** A file with the same. */
  keyFile?: string;
  /** The database; with SQLite, the first start creates a key file beside it. */
  database: string;
  store: Store;
}

function decode(text: string, source: string): Uint8Array {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, "hex")
    : Buffer.from(trimmed, "base64");
  if (bytes.length === keyLength) return bytes;
  throw new UsageError(
    `${source} must contain 32 bytes in hex or base64; create a key with: openssl rand -hex 32`,
  );
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // An unreadable key must not be overwritten with a new one.
    const remedy =
      code === "ENOENT"
        ? `The key file ${path} does not exist; create it with: openssl rand -hex 32 > ${path}`
        : `Could not read the key file ${path}: ${message}. It must belong to the user that runs this.`;
    throw new UsageError(remedy, { cause: error });
  }
}

/** Links the file to its name once it is complete and on disk: no reader sees half a key, and no crash loses it. */
function create(path: string): void {
  const unfinished = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(unfinished, `${randomBytes(keyLength).toString("hex")}\n`, {
      mode: 0o600,
      flag: "wx",
      flush: true,
    });
    linkSync(unfinished, path);
    flush(dirname(path));
  } catch (error) {
    // Another process was first; use its key.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Reads or creates the key. Two processes that start at once end up with the same one. */
function readOrCreate(path: string): Uint8Array {
  if (!existsSync(path)) create(path);
  return decode(readFileSync(path, "utf8"), `The key file ${path}`);
}

const fingerprintName = "master-key-fingerprint";

/** Whether the database is already tied to a master key. */
async function hasMasterKey(store: Store): Promise<boolean> {
  return (await store.agreement(fingerprintName)) !== undefined;
}

/** @throws UsageError when the database was made with another master key */
export async function assertMasterKey(store: Store, secrets: ServiceSecrets): Promise<void> {
  const fingerprint = secrets.fingerprint();
  if ((await store.agreeOn(fingerprintName, fingerprint)) === fingerprint) return;
  throw new UsageError(
    "This database was created with another master key: tokens, suppression and cursors would be invalid. " +
      "Pass the original key in AFTERWORD_MASTER_KEY or --key-file, or put the key file back beside the database.",
  );
}

const byHand = "with --key-file or AFTERWORD_MASTER_KEY";

/** Creates a key for a new database only: a new key is useless for an older one, and would hide that its own is lost. */
async function keyBeside(path: string, store: Store): Promise<Uint8Array> {
  // Check first: the file is written before the key's fingerprint.
  if ((await hasMasterKey(store)) && !existsSync(path))
    throw new UsageError(
      `The key file ${path} is missing: put it back beside the database, or pass the key ${byHand}.`,
    );
  return readOrCreate(path);
}

async function keyInside(store: Store): Promise<Uint8Array> {
  if ((await hasMasterKey(store)) && (await store.agreement(nameInside)) === undefined)
    throw new UsageError(`The master key is not stored in this database: pass it ${byHand}.`);
  return decode(await store.agreeOn(nameInside, randomBytes(keyLength).toString("hex")), "The database");
}

/**
 * The master key that all other keys derive from (decision D116). Without a given key PostgreSQL stores it in the database,
 * which the caller warns about, because dumps then contain it.
 * @throws UsageError when the key of an existing database is missing
 */
export async function masterKey(
  sources: MasterKeySources,
): Promise<{ key: Uint8Array; isInDatabase: boolean }> {
  const { given, keyFile, database, store } = sources;
  if (given) return { key: decode(given, "AFTERWORD_MASTER_KEY"), isInDatabase: false };
  if (keyFile) {
    return { key: decode(readKeyFile(keyFile), `The key file ${keyFile}`), isInDatabase: false };
  }
  const place = databasePlace(database);
  if (place.kind === "memory") return { key: randomBytes(keyLength), isInDatabase: false };
  if (place.kind === "server") return { key: await keyInside(store), isInDatabase: true };
  return { key: await keyBeside(place.keyFile, store), isInDatabase: false };
}
