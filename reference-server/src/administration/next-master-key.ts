import { randomBytes } from "node:crypto";
import {
  accessSync,
  chownSync,
  chmodSync,
  constants,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { MasterKey, masterKeyLength } from "../domain/master-keys.ts";
import { type NextMasterKey } from "./rotate-master-key.ts";
import { UsageError } from "../domain/usage-error.ts";
import { flush } from "../store/flush.ts";
import { type MasterKeyRecord } from "../store/project.ts";
import { readKeyFile, type MasterKeyPlace } from "./master-key-place.ts";

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

interface GivenKey {
  bytes: Uint8Array;
  masterKey: MasterKey;
}

const given = (bytes: Uint8Array): GivenKey => ({ bytes, masterKey: new MasterKey(bytes) });

/**
 * Replaces the key file at once and whole, with owner and permissions as they were.
 * @throws UsageError when that is not possible, and the file is unchanged
 */
function writeKeyFile(path: string, keys: readonly GivenKey[]): void {
  const unfinished = `${path}.next`;
  try {
    accessSync(path, constants.W_OK);
    const { mode, uid, gid } = statSync(path);
    // One process at a time is here: what there may be was left by a killed one.
    writeFileSync(unfinished, keys.map(({ bytes }) => `${hexOf(bytes)}\n`).join(""), {
      mode: 0o600,
      flush: true,
    });
    chownSync(unfinished, uid, gid);
    chmodSync(unfinished, mode);
    renameSync(unfinished, path);
    flush(dirname(path));
  } catch (error) {
    if (statSync(unfinished, { throwIfNoEntry: false })?.isFile()) rmSync(unfinished);
    throw new UsageError(`Could not write the key file ${path}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

const addByHand = (where: string) =>
  `Add a new key (openssl rand -hex 32) to ${where}, after the old one, for every server; then run this again.`;

const isNew = ({ masterKey }: GivenKey, records: readonly MasterKeyRecord[]) =>
  records.every(({ id }) => id !== masterKey.id);

/** @throws UsageError for more than one new key */
function onlyNew(keys: readonly GivenKey[], records: readonly MasterKeyRecord[]): GivenKey | undefined {
  const [found, ...others] = keys.filter((key) => isNew(key, records));
  if (others.length > 0) throw new UsageError("More than one new master key is given: leave one of them.");
  return found;
}

function madeInFile(
  file: string,
  keys: readonly GivenKey[],
  [current]: readonly MasterKeyRecord[],
): GivenKey {
  const made = given(randomBytes(masterKeyLength));
  const kept = keys.filter(({ masterKey }) => masterKey.id === current?.id);
  try {
    writeKeyFile(realpathSync(file), [made, ...kept]);
  } catch (error) {
    throw new UsageError(`${(error as Error).message} ${addByHand("it")}`, { cause: error });
  }
  return made;
}

/**
 * Chooses the key to rotate to: a given one that was never used, otherwise a random one. Called inside the transaction of
 * the rotation, so that two rotations cannot both write the key file. A killed one leaves the file with both keys,
 * and the next one goes on with it.
 *
 * @param hasOtherNodes whether other machines may read a key file of their own, which this one cannot write
 * @throws UsageError when the operator has to give the new key
 */
export function nextMasterKey(
  place: MasterKeyPlace,
  held: readonly Uint8Array[],
  records: readonly MasterKeyRecord[],
  hasOtherNodes: boolean,
): NextMasterKey {
  if (place.kind === "database") {
    const { bytes, masterKey } = given(randomBytes(masterKeyLength));
    return { masterKey, key: hexOf(bytes) };
  }
  const keys = (place.kind === "file" ? readKeyFile(place.file) : held).map(given);
  const found = onlyNew(keys, records);
  if (found) return { masterKey: found.masterKey };
  if (place.kind !== "file")
    throw new UsageError(`A command cannot change AFTERWORD_MASTER_KEY. ${addByHand("it")}`);
  if (hasOtherNodes)
    throw new UsageError(`Servers on PostgreSQL may have key files of their own. ${addByHand(place.file)}`);
  return { masterKey: madeInFile(place.file, keys, records).masterKey };
}

/** Takes replaced keys out of the key file. Returns whether none is there any more. */
export function forgetReplacedKeys(
  place: MasterKeyPlace,
  held: readonly Uint8Array[],
  records: readonly MasterKeyRecord[],
): boolean {
  if (place.kind === "database") return true;
  const [current] = records;
  const isNeeded = (key: GivenKey) => key.masterKey.id === current?.id || isNew(key, records);
  const keys = (place.kind === "file" ? readKeyFile(place.file) : held).map(given);
  if (keys.every(isNeeded)) return true;
  if (place.kind !== "file") return false;
  try {
    writeKeyFile(realpathSync(place.file), keys.filter(isNeeded));
    return true;
  } catch {
    return false;
  }
}
