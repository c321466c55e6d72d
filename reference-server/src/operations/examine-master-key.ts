import { timestamp } from "../domain/ids-and-times.ts";
import { type Service } from "../domain/service.ts";
import { type MasterKeyRecord } from "../store/project.ts";
import { type Finding } from "./examine.ts";

/** What to do about a replaced key that still has valid show-tokens. */
export const missingKey = ({ id, validUntil }: MasterKeyRecord) =>
  `The previous master key ${id} is missing: show-tokens that it has sealed are refused, and would be valid until ` +
  `${timestamp(validUntil!)}. Give it beside the new one.`;

const dayInMs = 86_400_000;

/** The state of the master key and of its last rotation. */
export function examineMasterKey({ masterKeys, clock }: Service): Finding[] {
  const now = clock.now();
  const [current, last] = masterKeys.records;
  const since = current?.since;
  const age = since === undefined ? "" : `, ${Math.floor(Math.max(0, now - since) / dayInMs)} days old`;
  const previous = masterKeys.previous(now);
  const overlap = previous ? `; ${previous.id} stays valid until ${timestamp(previous.validUntil!)}` : "";
  const found = `${current?.id}${age}${overlap}`;
  const advice = adviceOn();
  return [{ name: "master key", isGood: advice === undefined, found, ...(advice && { advice }) }];

  function adviceOn(): string | undefined {
    if (previous) return masterKeys.isHeld(previous.id) ? undefined : missingKey(previous);
    if (last && masterKeys.isHeld(last.id))
      return "The previous key is still there and of no use. Run: afterword-server key rotate-master --end-overlap";
    if (masterKeys.unused.length > 0)
      return "A new key is there and not in use. Run: afterword-server key rotate-master";
    return undefined;
  }
}
