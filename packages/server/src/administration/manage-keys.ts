import {
  createdKey,
  type CreatedKey,
  findProject,
  isUsableKey,
  type KeyRecord,
  type Service,
  type StoredProject,
  UsageError,
} from "@afterword/reference-server/internal";
import { changeDirectory } from "./operated-service.ts";

/** Adds a key; those that there are stay valid, so that they can be replaced without a gap. */
export async function createKey(
  service: Service,
  projectId: string,
  { kind, scopes, expiresAt }: Pick<KeyRecord, "kind" | "scopes" | "expiresAt">,
): Promise<CreatedKey> {
  findProject(service.directory, projectId);
  const createdAt = service.clock.now();
  if (scopes && kind === "publishable")
    throw new UsageError("Only a secret key has scopes: leave out --scope, or create a secret key.");
  if (expiresAt !== undefined && expiresAt <= createdAt)
    throw new UsageError("The key would have expired already.");
  const created = createdKey({ projectId, kind, scopes, managedBy: "command", createdAt, expiresAt });
  return changeDirectory(service, () => [{ keys: [created.record] }, created]);
}

/** @throws UsageError for an unknown id */
export function findKey(projects: readonly Pick<StoredProject, "keys">[], keyId: string): KeyRecord {
  const found = projects.flatMap((project) => project.keys).find((key) => key.id === keyId);
  if (!found) throw new UsageError(`There is no key "${keyId}": \`key list\` shows the ids.`);
  return found;
}

/**
 * Revokes a key on all nodes within 60 seconds; a second time changes nothing. `wasLast`: the project is left without a valid
 * key of this kind. @throws UsageError for an unknown id
 */
export async function revokeKey(service: Service, keyId: string) {
  const now = service.clock.now();
  return changeDirectory(service, (projects) => {
    const keys = projects.flatMap((project) => project.keys);
    const found = findKey(projects, keyId);
    const isOther = ({ id, projectId, kind }: KeyRecord) =>
      id !== keyId && projectId === found.projectId && kind === found.kind;
    const wasLast = !keys.some((key) => isOther(key) && isUsableKey(key, now));
    const wasRevoked = found.revokedAt !== undefined;
    const record = { ...found, revokedAt: found.revokedAt ?? now };
    return [wasRevoked ? {} : { keys: [record] }, { record, wasLast, wasRevoked }];
  });
}
