import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ReadableStream } from "node:stream/web";
import { UsageError } from "@afterword/reference-server/internal";

// Encrypted backups are files of age (https://age-encryption.org/v1), so that other programs can decrypt them too. Its
// package is loaded by the two commands that need it: it would slow the start of all others.

const chunkBytes = 1024 * 1024;

const chunksOf = (file: string) =>
  createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;

async function* hashed(file: string, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunksOf(file)) {
    hash.update(chunk);
    yield chunk;
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunksOf(file)) hash.update(chunk);
  return hash.digest("hex");
}

/** A web stream of a file, since that is what the package of age takes. */
const streamOf = (chunks: AsyncIterable<Buffer>) =>
  Readable.toWeb(
    Readable.from(chunks, { objectMode: false }),
  ) as unknown as globalThis.ReadableStream<Uint8Array>;

/** Readable by this account alone. */
const write = (stream: globalThis.ReadableStream<Uint8Array>, file: string) =>
  pipeline(
    Readable.fromWeb(stream as unknown as ReadableStream),
    createWriteStream(file, { flags: "wx", mode: 0o600 }),
  );

/** Encrypts a copy, which has been checked, and returns its SHA-256 in hex. */
export type EncryptCopy = (copy: string, target: string) => Promise<string>;

/**
 * Prepares encryption for the holders of age's secret keys.
 * @param recipients public keys of age, `age1…`
 * @throws UsageError for anything else
 */
export async function encryptionFor(recipients: readonly string[]): Promise<EncryptCopy> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (cause) {
      throw new UsageError(
        `"${recipient}" is not a public key of age: pass the line "age1…" that age-keygen prints.`,
        { cause },
      );
    }
  }
  return async (copy, target) => {
    const checked = await digestOf(copy);
    const hash = createHash("sha256");
    await write(await encrypter.encrypt(streamOf(hashed(copy, hash))), target);
    if (hash.digest("hex") === checked) return checked;
    throw new Error(`${copy} changed while it was encrypted: run the backup again.`);
  };
}

/** Whether a file begins as every file of age does. */
export async function isEncrypted(file: string): Promise<boolean> {
  const start = "age-encryption.org/";
  for await (const chunk of createReadStream(file, { end: start.length - 1 })) return String(chunk) === start;
  return false;
}

/** The secret keys in a file of age-keygen. @throws UsageError without one */
function identitiesIn(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(`Could not read the identity ${file}: ${(cause as Error).message}`, { cause });
  }
  const keys = text.split(/\r?\n/).filter((line) => line.startsWith("AGE-SECRET-KEY-"));
  if (keys.length > 0) return keys.map((key) => key.trim());
  throw new UsageError(`${file} has no secret key of age: pass the file that age-keygen wrote.`);
}

/**
 * Decrypts a backup and returns the SHA-256 of the copy in hex.
 * @throws UsageError if the secret keys are of other recipients, or the backup is damaged or incomplete
 */
export async function decryptBackup(file: string, target: string, identity: string): Promise<string> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  for (const key of identitiesIn(identity)) decrypter.addIdentity(key);
  try {
    await write(await decrypter.decrypt(streamOf(chunksOf(file))), target);
  } catch (cause) {
    throw new UsageError(
      `Could not decrypt ${file}: ${(cause as Error).message}. Either ${identity} is not the key that it was encrypted to, ` +
        "or the backup is damaged or incomplete.",
      { cause },
    );
  }
  return digestOf(target);
}
