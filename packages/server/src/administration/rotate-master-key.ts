import {
  leewayInMs,
  longestLifetimeInMs,
  MasterKey,
  type MasterKeyPlace,
  type MasterKeyRecord,
  pickUpInMs,
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

/**
 * Chooses the key to rotate to: the given one that was never used, or a random one where the database keeps the key itself.
 * @throws UsageError when the operator has to give the new key, or has given several
 */
export function nextMasterKey(
  kind: MasterKeyPlace["kind"],
  held: readonly MasterKey[],
  records: readonly MasterKeyRecord[],
): MasterKey {
  if (kind === "database") return MasterKey.random();
  const [found, ...others] = held.filter((key) => records.every(({ id }) => id !== key.id));
  if (others.length > 0) throw new UsageError("More than one new master key is given: leave one of them.");
  if (found) return found;
  throw new UsageError(
    "There is no new master key. Add one (openssl rand -hex 32) to the key file or AFTERWORD_MASTER_KEY, after the old " +
      "one, for every server; then run this again.",
  );
}
