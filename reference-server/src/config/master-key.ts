import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../domain/usage-error.ts";
import { type ServiceSecrets } from "../domain/service-secrets.ts";
import { databasePlace } from "../store/open-store.ts";
import { flush } from "../store/sqlite/backup.ts";
import { type Store } from "../store/store.ts";

const keyLength = 32;
/** Under which PostgreSQL keeps it. */
const nameInside = "master-key";

export interface MasterKeySources {
  /** The value of AFTERWORD_MASTER_KEY: 32 bytes in hex or base64. */
  given?: string;
  /** A file that holds the same. */
  keyFile?: string;
  /** The database, beside which a key file is made at the first start. */
  database: string;
  store: Store;
}

function decode(text: string, source: string): Uint8Array {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, "hex")
    : Buffer.from(trimmed, "base64");
  if (bytes.length === keyLength) return bytes;
  throw new UsageError(`${source} must hold 32 bytes in hex or base64; make one with: openssl rand -hex 32`);
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Whoever made a new one over a key that is there and only not readable would have lost it.
    const remedy =
      code === "ENOENT"
        ? `There is no key file ${path}; make one with: openssl rand -hex 32 > ${path}`
        : `The key file ${path} cannot be read: ${message}. Let it belong to the user that runs this.`;
    throw new UsageError(remedy, { cause: error });
  }
}

/** Gives the file its name when it is whole and on disk: nobody may read half a key, and no crash may take it back. */
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
    // Another process was first, and its key is the one.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Reads the key, or makes it so that two processes starting at once end up with the same one. */
function readOrCreate(path: string): Uint8Array {
  if (!existsSync(path)) create(path);
  return decode(readFileSync(path, "utf8"), `The key file ${path}`);
}

const fingerprintName = "master-key-fingerprint";

/** Whether the database was made with some master key; then no other will do. */
async function hasMasterKey(store: Store): Promise<boolean> {
  return (await store.agreement(fingerprintName)) !== undefined;
}

/** @throws UsageError when the database was made with another master key */
export async function assertMasterKey(store: Store, secrets: ServiceSecrets): Promise<void> {
  const fingerprint = secrets.fingerprint();
  if ((await store.agreeOn(fingerprintName, fingerprint)) === fingerprint) return;
  throw new UsageError(
    "The master key is not the one that this database was made with: tokens, suppression and cursors would be void. " +
      "Give the original key by AFTERWORD_MASTER_KEY or --key-file, or put the key file back beside the database.",
  );
}

const byHand = "by --key-file or AFTERWORD_MASTER_KEY";

/** Makes the key of a new database only: another key would open nothing of an older one, and hide that its own is lost. */
async function keyBeside(path: string, store: Store): Promise<Uint8Array> {
  // Asked first: whoever makes a key writes its file before the database knows of it.
  if ((await hasMasterKey(store)) && !existsSync(path))
    throw new UsageError(
      `The key file ${path} is missing: put it back beside the database, or give the key ${byHand}.`,
    );
  return readOrCreate(path);
}

async function keyInside(store: Store): Promise<Uint8Array> {
  if ((await hasMasterKey(store)) && (await store.agreement(nameInside)) === undefined)
    throw new UsageError(`The master key of this database is not kept in it: give it ${byHand}.`);
  return decode(await store.agreeOn(nameInside, randomBytes(keyLength).toString("hex")), "The database");
}

/**
 * The one key that everything secret is derived from (decision D116). PostgreSQL keeps it in the database when none is
 * given, which the caller warns about: a dump then holds it.
 * @throws UsageError when the key of an older database is not there
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
