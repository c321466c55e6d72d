import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Mistake } from "../domain/mistake.ts";
import { hasMasterKey } from "../program/open-service.ts";
import { isPostgresUrl } from "../store/postgres/database-url.ts";
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
  throw new Mistake(`${source} must hold 32 bytes in hex or base64; make one with: openssl rand -hex 32`);
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
    throw new Mistake(remedy, { cause: error });
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

const byHand = "by --key-file or AFTERWORD_MASTER_KEY";

/** Makes the key of a new database only: another key would open nothing of an older one, and hide that its own is lost. */
async function keyBeside(database: string, store: Store): Promise<Uint8Array> {
  const path = `${database}.key`;
  // Asked first: whoever makes a key writes its file before the database knows of it.
  if ((await hasMasterKey(store)) && !existsSync(path))
    throw new Mistake(
      `The key file ${path} is missing: put it back beside the database, or give the key ${byHand}.`,
    );
  return readOrCreate(path);
}

async function keyInside(store: Store): Promise<Uint8Array> {
  if ((await hasMasterKey(store)) && (await store.agreement(nameInside)) === undefined)
    throw new Mistake(`The master key of this database is not kept in it: give it ${byHand}.`);
  return decode(await store.agreeOn(nameInside, randomBytes(keyLength).toString("hex")), "The database");
}

/**
 * The one key that everything secret is derived from (decision D116). PostgreSQL keeps it in the database when none is
 * given, which the caller warns about: a dump then holds it.
 * @throws Mistake when the key of an older database is not there
 */
export async function masterKey(
  sources: MasterKeySources,
): Promise<{ key: Uint8Array; isInDatabase: boolean }> {
  const { given, keyFile, database, store } = sources;
  if (given) return { key: decode(given, "AFTERWORD_MASTER_KEY"), isInDatabase: false };
  if (keyFile) {
    return { key: decode(readKeyFile(keyFile), `The key file ${keyFile}`), isInDatabase: false };
  }
  if (database === ":memory:") return { key: randomBytes(keyLength), isInDatabase: false };
  if (isPostgresUrl(database)) return { key: await keyInside(store), isInDatabase: true };
  return { key: await keyBeside(database, store), isInDatabase: false };
}
