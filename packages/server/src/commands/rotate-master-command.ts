import { Option } from "@commander-js/extra-typings";
import { type MasterKeyRecord, timestamp } from "@afterword/reference-server/internal";
import {
  defaultOverlapInMs,
  endOverlap,
  nextMasterKey,
  rotateMasterKey,
} from "../administration/rotate-master-key.ts";
import { defineCommand } from "./define-command.ts";
import { durationArgument } from "./flags.ts";
import { type Session } from "./with-service.ts";

const cautions = `
Show-tokens of the old key stay valid for the overlap, and no respondent is asked again because of a
rotation. Unless PostgreSQL keeps the key itself, first give every server both keys, separated by a
comma or a line break: in the key file, or in AFTERWORD_MASTER_KEY and with a restart. A running
server picks up the new key from its key file or its database within seconds. Keep the old key as
long as you keep backups from before the rotation.`;

/** A record without a key that the database keeps. */
const publicFields = (keys: readonly MasterKeyRecord[]) =>
  keys.slice(0, 2).map(({ id, validUntil }) => ({
    id,
    ...(validUntil !== undefined && { validUntil: timestamp(validUntil) }),
  }));

async function rotate({ service, masterKeyPlace: place, audit }: Session, overlapInMs: number) {
  const held = await place.read();
  const masterKeys = await audit.change({ action: "master-key-rotate" }, async (addResults) => {
    const next = (records: readonly MasterKeyRecord[]) => nextMasterKey(place.kind, held, records);
    const rotated = await rotateMasterKey(service, overlapInMs, next, place.kind === "database");
    addResults({ masterKeys: publicFields(rotated) });
    return publicFields(rotated);
  });
  const [current, previous] = masterKeys;
  return {
    json: { masterKeys },
    lines: [`Rotated the master key from ${previous!.id} to ${current!.id}.`],
    remarks: [
      `Show-tokens of ${previous!.id} stay valid until ${previous!.validUntil}. Keep that key as long as backups from before the rotation.`,
    ],
  };
}

async function end({ service, masterKeyPlace: place, audit }: Session) {
  return audit.change({ action: "master-key-end-overlap" }, async (addResults) => {
    const masterKeys = publicFields(await endOverlap(service));
    addResults({ masterKeys });
    const { id } = masterKeys[1]!;
    const isGiven = place.kind !== "database" && service.masterKeys.isHeld(id);
    return {
      json: { masterKeys },
      lines: [`Show-tokens of the master key ${id} are refused.`],
      remarks: [isGiven && `Remove the key ${id} from the key file or AFTERWORD_MASTER_KEY.`],
    };
  });
}

export const rotateMasterCommand = defineCommand({
  name: "key rotate-master",
  description: "Replace the master key; tokens of the old one stay valid for the overlap",
  example: "key rotate-master --overlap 30d",
  options: (command) =>
    command
      .addOption(
        new Option("--overlap <duration>", "how long show-tokens of the old key stay valid")
          .argParser(durationArgument())
          .default(defaultOverlapInMs, "30d"),
      )
      .option("--end-overlap", "refuse tokens of the old key from now on")
      .addHelpText("after", cautions),
  work: (session) => (session.flags.endOverlap ? end(session) : rotate(session, session.flags.overlap)),
});
