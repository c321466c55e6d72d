import { durationInMs } from "@afterword/protocol/duration";
import { Argument, Command, InvalidArgumentError } from "commander";
import { type KeyKind } from "../domain/api-key.ts";
import { findProject } from "../domain/manage-projects.ts";
import { createKey, findKey, revokeKey } from "../domain/manage-keys.ts";
import { type KeyRecord } from "../store/project.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { auditOf } from "./audit.ts";
import { confirm } from "./confirm.ts";
import { administrationCommand, confirmedOption } from "./database-flags.ts";
import { rotateMasterCommand } from "./rotate-master-command.ts";
import { table } from "./table.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

type Expiry = { durationInMs: number } | { at: number };

/** A duration from now, or a date. */
function expiry(text: string): Expiry {
  const duration = durationInMs(text);
  if (duration !== undefined) return { durationInMs: duration };
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return { at };
  throw new InvalidArgumentError("Pass a duration such as 90d, or a date such as 2027-01-31.");
}

const moment = (at: number | undefined) => (at === undefined ? undefined : timestamp(at));

/** A key's metadata, without the secret. */
function told(key: KeyRecord, now: number) {
  const { id, projectId, kind, display, managedBy, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const isExpired = expiresAt !== undefined && expiresAt <= now;
  return {
    id,
    projectId,
    kind,
    state: revokedAt !== undefined ? "revoked" : isExpired ? "expired" : "valid",
    display,
    ...(key.publishableKey !== undefined && { publishableKey: key.publishableKey }),
    managedBy,
    createdAt: timestamp(createdAt),
    expiresAt: moment(expiresAt),
    revokedAt: moment(revokedAt),
    lastUsedAt: moment(lastUsedAt),
  };
}

interface CreateFlags extends ServiceFlags {
  expires?: Expiry;
}

function create(terminal: Terminal): Command {
  return administrationCommand(
    "create",
    "Add a key to a project; its other keys stay valid",
    "key create shop secret --expires 365d",
  )
    .argument("<project>", "id of the project")
    .addArgument(new Argument("<kind>", "kind of key").choices(["publishable", "secret"]))
    .option("--expires <when>", "when the key expires: 90d, or a date; default: never", expiry)
    .action(async (project: string, kind: KeyKind, flags: CreateFlags) => {
      const now = terminal.clock.now();
      const { expires } = flags;
      const expiresAt = expires && ("at" in expires ? expires.at : now + expires.durationInMs);
      const { record, key } = await withService(flags, terminal, async (service) => {
        const asked = { projectId: project, keyKind: kind, expiresAt: moment(expiresAt) };
        const intent = { action: "key-create", ...asked } as const;
        return auditOf(terminal, flags, "key create").change(intent, async (learn) => {
          const created = await createKey(service, project, kind, expiresAt);
          learn({ keyId: created.record.id });
          return created;
        });
      });
      if (flags.json) return terminal.print(JSON.stringify({ ...told(record, now), key }));
      terminal.print(`${key}`);
      terminal.complain(
        `Created the ${kind} key ${record.id} of ${project}; running servers accept it within seconds.`,
      );
      if (kind === "secret")
        terminal.complain("Save the key now: only its hash is stored, and it cannot be shown again.");
    });
}

function list(terminal: Terminal): Command {
  return administrationCommand(
    "list",
    "List the keys of a project, without the keys themselves",
    "key list shop",
  )
    .argument("<project>", "id of the project")
    .action(async (project: string, flags: ServiceFlags) => {
      const now = terminal.clock.now();
      const keys = await withService(flags, terminal, async ({ directory }) =>
        findProject(directory, project).keys.map((key) => told(key, now)),
      );
      if (flags.json) return terminal.print(JSON.stringify({ keys }));
      const rows = keys.map((key) => [
        key.id,
        key.kind,
        key.display,
        key.state,
        key.expiresAt,
        key.lastUsedAt,
      ]);
      terminal.print(table(["id", "kind", "key", "state", "expires", "last used"], rows));
    });
}

function revoke(terminal: Terminal): Command {
  return administrationCommand(
    "revoke",
    "Refuse a key on all nodes within 60 seconds",
    "key revoke key_1f0c2a",
  )
    .argument("<key-id>", "id of the key from `key list`")
    .addOption(confirmedOption())
    .action(async (keyId: string, flags: ServiceFlags) => {
      const { record, wasLast, wasRevoked } = await withService(flags, terminal, async (service) => {
        const { projectId, kind: keyKind } = findKey(service, keyId);
        await confirm(terminal, flags.yes, `Requests with the key ${keyId} will be refused.`, keyId);
        const intent = { action: "key-revoke", projectId, keyId, keyKind } as const;
        return auditOf(terminal, flags, "key revoke").change(intent, () => revokeKey(service, keyId));
      });
      if (flags.json) return terminal.print(JSON.stringify(told(record, terminal.clock.now())));
      terminal.print(
        wasRevoked ? `${keyId} was already revoked.` : `Revoked the ${record.kind} key ${keyId}.`,
      );
      if (wasLast)
        terminal.complain(`The project ${record.projectId} has no other valid ${record.kind} key.`);
      if (record.managedBy === "config") {
        terminal.complain("Remove it from the config file too, or the next start accepts it again.");
      }
    });
}

export function keyCommands(terminal: Terminal): Command {
  return new Command("key")
    .description("Create, list and revoke keys, and rotate the master key")
    .addCommand(create(terminal))
    .addCommand(list(terminal))
    .addCommand(revoke(terminal))
    .addCommand(rotateMasterCommand(terminal));
}
