import { InvalidArgumentError, Option, type Command } from "commander";
import { durationInMs } from "@afterword/protocol/duration";
import { forgetReplacedKeys, nextMasterKey } from "../config/next-master-key.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import {
  defaultOverlapInMs,
  endOverlap,
  rotateMasterKey,
  type MasterKeyChange,
} from "../domain/rotate-master-key.ts";
import { databasePlace } from "../store/open-store.ts";
import { auditOf } from "./audit.ts";
import { administrationCommand } from "./database-flags.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

interface RotateFlags extends ServiceFlags {
  overlap: number;
  endOverlap?: boolean;
}

function overlap(text: string): number {
  const overlapInMs = durationInMs(text);
  if (overlapInMs !== undefined) return overlapInMs;
  throw new InvalidArgumentError("Pass a whole number with s, m, h or d, such as 30d.");
}

const cautions = `
Show-tokens of the old key stay valid for the overlap; no respondent is asked again because of a rotation. A running server picks a
new key up from its key file, or from the database, within seconds. With AFTERWORD_MASTER_KEY, or with key files on
PostgreSQL, first give every server both keys, with a comma or a line break between, and restart those with the
variable. Keep the old key as long as backups from before the rotation.`;

/** A record without a key that the database keeps. */
const told = (keys: MasterKeyChange) =>
  keys.slice(0, 2).map(({ id, validUntil }) => ({
    id,
    ...(validUntil !== undefined && { validUntil: timestamp(validUntil) }),
  }));

async function rotate(flags: RotateFlags, terminal: Terminal): Promise<void> {
  const audit = auditOf(terminal, flags, "key rotate-master");
  const hasOtherNodes = databasePlace(flags.db).kind === "server";
  const keys = await withService(flags, terminal, async (service, place) => {
    const held = await place.read();
    return audit.change({ action: "master-key-rotate" }, async (learn) => {
      const rotated = await rotateMasterKey(service, flags.overlap, (records) =>
        nextMasterKey(place, held, records, hasOtherNodes),
      );
      learn({ masterKeys: told(rotated) });
      return told(rotated);
    });
  });
  if (flags.json) return terminal.print(JSON.stringify({ masterKeys: keys }));
  const [current, previous] = keys;
  terminal.print(`Rotated the master key from ${previous!.id} to ${current!.id}.`);
  terminal.complain(
    `Show-tokens of ${previous!.id} stay valid until ${previous!.validUntil}. Keep it as long as backups from before.`,
  );
}

async function end(flags: RotateFlags, terminal: Terminal): Promise<void> {
  const audit = auditOf(terminal, flags, "key rotate-master");
  const { keys, isForgotten } = await withService(flags, terminal, async (service, place) => {
    return audit.change({ action: "master-key-end-overlap" }, async (learn) => {
      const records = await endOverlap(service);
      learn({ masterKeys: told(records) });
      const isForgotten = forgetReplacedKeys(place, await place.read(), records);
      return { keys: told(records), isForgotten };
    });
  });
  if (flags.json) return terminal.print(JSON.stringify({ masterKeys: keys }));
  terminal.print(`Show-tokens of the master key ${keys[1]!.id} are refused.`);
  if (!isForgotten)
    terminal.complain(`Take the key ${keys[1]!.id} out of the key file or AFTERWORD_MASTER_KEY by hand.`);
}

export function rotateMasterCommand(terminal: Terminal): Command {
  return administrationCommand(
    "rotate-master",
    "Replace the master key; tokens of the old one stay valid for the overlap",
    "key rotate-master --overlap 30d",
  )
    .addOption(
      new Option("--overlap <duration>", "how long show-tokens of the old key stay valid")
        .argParser(overlap)
        .default(defaultOverlapInMs, "30d"),
    )
    .option("--end-overlap", "refuse tokens of the old key from now on, and take it out of the key file")
    .addHelpText("after", cautions)
    .action((flags: RotateFlags) => (flags.endOverlap ? end(flags, terminal) : rotate(flags, terminal)));
}
