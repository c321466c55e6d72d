import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Mistake } from "./domain/mistake.ts";
import { type Store } from "./store/store.ts";

const keyLength = 32;

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
    const message = `The key file ${path} cannot be read; make one with: openssl rand -hex 32 > ${path}`;
    throw new Mistake(message, { cause: error });
  }
}

/** Reads the key, or makes it so that two processes starting at once end up with the same one. */
function readOrCreate(path: string): Uint8Array {
  if (!existsSync(path)) {
    try {
      writeFileSync(path, `${randomBytes(keyLength).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  return decode(readFileSync(path, "utf8"), `The key file ${path}`);
}

/**
 * The one key that everything secret is derived from (decision D116). PostgreSQL keeps it in the database when none is
 * given, which the caller warns about: a dump then holds it.
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
  if (/^postgres(ql)?:\/\//.test(database)) {
    const agreed = await store.agreeOn("master-key", randomBytes(keyLength).toString("hex"));
    return { key: decode(agreed, "The database"), isInDatabase: true };
  }
  return { key: readOrCreate(`${database}.key`), isInDatabase: false };
}
