import { scopes, type Scope } from "@afterword/protocol";
import { durationInMs } from "@afterword/protocol/duration";
import { Argument } from "@commander-js/extra-typings";
import { findProject, type KeyRecord, timestamp } from "@afterword/reference-server/internal";
import { lastUseOf } from "../store/key-uses.ts";
import { createKey, findKey, revokeKey } from "../administration/manage-keys.ts";
import { commandGroup, defineCommand } from "./define-command.ts";
import { argument, confirmedOption } from "./flags.ts";
import { rotateMasterCommand } from "./rotate-master-command.ts";
import { table } from "./table.ts";
import { confirm } from "./terminal.ts";

/** A duration from now, or a date. */
const expiry = argument((text) => {
  const durationOf = durationInMs(text);
  if (durationOf !== undefined) return { durationOf };
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : { at };
}, "Pass a duration such as 90d, which must be more than 0, or a date such as 2027-01-31.");

const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text);

/** A list such as mint,scores. */
const scopeList = argument(
  (text) => {
    const asked = [...new Set(text.split(",").map((part) => part.trim()))];
    return asked.every(isScope) ? asked : undefined;
  },
  `Pass one or more of ${scopes.join(", ")}, separated by commas.`,
);

const moment = (at: number | undefined) => (at === undefined ? undefined : timestamp(at));

/** A key's metadata, without the secret. */
function keyFields(key: KeyRecord, now: number) {
  const { id, projectId, kind, display, managedBy, createdAt, expiresAt, revokedAt, uses } = key;
  const isExpired = expiresAt !== undefined && expiresAt <= now;
  return {
    id,
    projectId,
    kind,
    ...(kind === "secret" && { scopes: key.scopes ?? scopes }),
    state: revokedAt !== undefined ? "revoked" : isExpired ? "expired" : "valid",
    display,
    ...(key.publishableKey !== undefined && { publishableKey: key.publishableKey }),
    managedBy,
    createdAt: timestamp(createdAt),
    expiresAt: moment(expiresAt),
    revokedAt: moment(revokedAt),
    lastUsedAt: moment(lastUseOf(uses)),
    ...(uses && {
      uses: Object.fromEntries(Object.entries(uses).map(([use, at]) => [use, timestamp(at)])),
    }),
  };
}

const create = defineCommand({
  name: "key create",
  description: "Add a key to a project; its other keys stay valid",
  example: "key create shop secret --scope scores --expires 365d",
  options: (command) =>
    command
      .argument("<project>", "id of the project")
      .addArgument(new Argument("<kind>", "kind of key").choices(["publishable", "secret"]))
      .option(
        "--scope <list>",
        "what a secret key may do: mint (an agent's server), scores (a forwarder), privacy; default: all",
        scopeList,
      )
      .option("--expires <when>", "when the key expires: 90d, or a date; default: never", expiry),
  async work({ service, flags, audit }, projectId, kind) {
    const now = service.clock.now();
    const { expires, scope } = flags;
    const expiresAt = expires && ("at" in expires ? expires.at : now + expires.durationOf);
    const asked = { projectId, keyKind: kind, scopes: scope, expiresAt: moment(expiresAt) };
    const { record, key } = await audit.change({ action: "key-create", ...asked }, async (addResults) => {
      const created = await createKey(service, projectId, { kind, scopes: scope, expiresAt });
      addResults({ keyId: created.record.id });
      return created;
    });
    return {
      json: { ...keyFields(record, now), key },
      lines: [key],
      remarks: [
        `Created the ${kind} key ${record.id} of ${projectId}; running servers accept it within seconds.`,
        kind === "secret" && "Save the key now: only its hash is stored, and it cannot be shown again.",
      ],
    };
  },
});

const list = defineCommand({
  name: "key list",
  description: "List the keys of a project, without the keys themselves",
  example: "key list shop",
  options: (command) => command.argument("<project>", "id of the project"),
  async work({ service }, project) {
    const { keys } = findProject(service.directory, project);
    const all = keys.map((key) => keyFields(key, service.clock.now()));
    const rows = all.map((key) => [
      key.id,
      key.kind,
      key.scopes?.join(","),
      key.display,
      key.state,
      key.expiresAt,
      key.lastUsedAt,
    ]);
    return {
      json: { keys: all },
      lines: [table(["id", "kind", "scopes", "key", "state", "expires", "last used"], rows)],
      remarks: ["The last use may be a minute old: each server stores it once a minute, and when it stops."],
    };
  },
});

const revoke = defineCommand({
  name: "key revoke",
  description: "Refuse a key on all nodes within 60 seconds",
  example: "key revoke key_1f0c2a",
  options: (command) =>
    command.argument("<key-id>", "id of the key from `key list`").addOption(confirmedOption()),
  async work(session, keyId) {
    const { service, audit } = session;
    const { projectId, kind } = findKey(service.directory.projects, keyId);
    await confirm(session, `Requests with the key ${keyId} will be refused.`, keyId);
    const { record, wasLast, wasRevoked } = await audit.change(
      { action: "key-revoke", projectId, keyId, keyKind: kind },
      () => revokeKey(service, keyId),
    );
    return {
      json: keyFields(record, service.clock.now()),
      lines: [wasRevoked ? `${keyId} was already revoked.` : `Revoked the ${kind} key ${keyId}.`],
      remarks: [
        wasLast && `The project ${projectId} has no other valid ${kind} key.`,
        record.managedBy === "config" &&
          "Remove it from the config file too, or the next start accepts it again.",
      ],
    };
  },
});

export const keyCommands = commandGroup(
  "key",
  "Create, list and revoke keys, and rotate the master key",
  create,
  list,
  revoke,
  rotateMasterCommand,
);
