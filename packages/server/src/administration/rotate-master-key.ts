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
import {
  flush,
  leewayInMs,
  longestLifetimeInMs,
  MasterKey,
  type MasterKeyPlace,
  type MasterKeyRecord,
  pickUpInMs,
  readKeyFile,
  type Service,
  timestamp,
  UsageError,
} from "@afterword/reference-server/internal";
import { changeDirectory } from "./operated-service.ts";

/** Tokens of the replaced key stay valid until they expire, whatever lifetime a config has set. */
export const defaultOverlapInMs = longestLifetimeInMs;

/**
 * Replaces the master key in one transaction: the database names the new one, and the secrets of all projects are sealed by
 * it. The one before opens show-tokens for as long as the overlap.
 * @param next the key to rotate to; may be called more than once
 * @param isKeptInDatabase whether the database keeps the key itself
 * @throws UsageError while tokens of the key before this one are still valid
 */
export async function rotateMasterKey(
  service: Service,
  overlapInMs: number,
  next: (records: readonly MasterKeyRecord[]) => MasterKey,
  isKeptInDatabase: boolean,
): Promise<readonly MasterKeyRecord[]> {
  const now = service.clock.now();
  return changeDirectory(service, (projects, records) => {
    const earlier = records.find(({ validUntil = 0 }) => validUntil > now);
    if (earlier)
      throw new UsageError(
        `A rotation is under way: the master key ${earlier.id} stays valid until ${timestamp(earlier.validUntil!)}. ` +
          "Wait until then, or end it now with: afterword-server key rotate-master --end-overlap",
      );
    const masterKey = next(records);
    // The replaced key seals until all nodes have picked up the new one, and tokens have a minute of leeway.
    const validUntil = now + pickUpInMs + leewayInMs + overlapInMs;
    const [current, ...retired] = records;
    const newest = { id: masterKey.id, since: now, ...(isKeptInDatabase && { key: masterKey.hex }) };
    const masterKeys = [newest, { ...current!, validUntil }, ...retired];
    return [{ masterKeys, projects: service.masterKeys.resealed(projects, masterKey) }, masterKeys];
  });
}

/** Refuses show-tokens of replaced keys from now on, and forgets those keys. Doing so again changes nothing. */
export async function endOverlap(service: Service): Promise<readonly MasterKeyRecord[]> {
  const now = service.clock.now();
  return changeDirectory(service, (_, records) => {
    const [current, ...replaced] = records;
    if (replaced.length === 0)
      throw new UsageError("The master key was never rotated: there is no overlap to end.");
    if (now < current!.since + pickUpInMs)
      throw new UsageError(
        "The rotation is less than a minute old, and other nodes may not use the new key yet: try again in a minute.",
      );
    const ended = replaced.map(({ key: _, validUntil = now, ...record }) => ({
      ...record,
      validUntil: Math.min(validUntil, now),
    }));
    const masterKeys = [current!, ...ended];
    return [{ masterKeys }, masterKeys];
  });
}

const addByHand = (where: string) =>
  `Add a new key (openssl rand -hex 32) to ${where}, after the old one, for every server; then run this again.`;

/**
 * Replaces the key file at once and whole, with owner and permissions as they were.
 * @throws UsageError when that is not possible, and the file is unchanged
 */
function writeKeyFile(file: string, keys: readonly MasterKey[]): void {
  const path = realpathSync(file);
  const unfinished = `${path}.next`;
  try {
    accessSync(path, constants.W_OK);
    const { mode, uid, gid } = statSync(path);
    // One process at a time is here: what there may be was left by a killed one.
    writeFileSync(unfinished, keys.map(({ hex }) => `${hex}\n`).join(""), { mode: 0o600, flush: true });
    chownSync(unfinished, uid, gid);
    chmodSync(unfinished, mode);
    renameSync(unfinished, path);
    flush(dirname(path));
  } catch (error) {
    if (statSync(unfinished, { throwIfNoEntry: false })?.isFile()) rmSync(unfinished);
    const reason = (error as Error).message;
    throw new UsageError(`Could not write the key file ${path}: ${reason}. ${addByHand("it")}`, {
      cause: error,
    });
  }
}

const keysAt = (place: MasterKeyPlace, held: readonly MasterKey[]) =>
  place.kind === "file" ? readKeyFile(place.file) : held;

const isNew = (key: MasterKey, records: readonly MasterKeyRecord[]) =>
  records.every(({ id }) => id !== key.id);

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
  held: readonly MasterKey[],
  records: readonly MasterKeyRecord[],
  hasOtherNodes: boolean,
): MasterKey {
  if (place.kind === "database") return MasterKey.random();
  const keys = keysAt(place, held);
  const [found, ...others] = keys.filter((key) => isNew(key, records));
  if (others.length > 0) throw new UsageError("More than one new master key is given: leave one of them.");
  if (found) return found;
  if (place.kind !== "file")
    throw new UsageError(`A command cannot change AFTERWORD_MASTER_KEY. ${addByHand("it")}`);
  if (hasOtherNodes)
    throw new UsageError(`Servers on PostgreSQL may have key files of their own. ${addByHand(place.file)}`);
  const made = MasterKey.random();
  writeKeyFile(place.file, [made, ...keys.filter(({ id }) => id === records[0]?.id)]);
  return made;
}

/** Takes replaced keys out of the key file. Returns whether none is there any more. */
export function forgetReplacedKeys(
  place: MasterKeyPlace,
  held: readonly MasterKey[],
  records: readonly MasterKeyRecord[],
): boolean {
  if (place.kind === "database") return true;
  const isNeeded = (key: MasterKey) => key.id === records[0]?.id || isNew(key, records);
  const keys = keysAt(place, held);
  if (keys.every(isNeeded)) return true;
  if (place.kind !== "file") return false;
  try {
    writeKeyFile(place.file, keys.filter(isNeeded));
    return true;
  } catch {
    return false;
  }
}
