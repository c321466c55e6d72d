import { scopes } from "@afterword/protocol";
import { dayInMs } from "@afterword/protocol/duration";
import { isUsableKey, type KeyRecord, type Service } from "@afterword/reference-server/internal";
import { finding, type Finding } from "../store/administration.ts";

/** So that what a server does only now and then has happened. */
const daysBeforeAdvice = 7;

function examineKey(key: KeyRecord, now: number): Finding[] {
  const { id, projectId, scopes: allowed = scopes, uses = {}, createdAt } = key;
  const used = allowed.filter((scope) => uses[scope] !== undefined);
  const days = Math.floor((now - createdAt) / dayInMs);
  if (used.length === 0 || used.length === allowed.length || days < daysBeforeAdvice) return [];
  const found =
    `allows ${allowed.join(", ")}; used for ${used.join(", ")} alone in ${days} days. ` +
    `For a key that allows no more: afterword-server key create ${projectId} secret --scope ${used.join(",")}`;
  return [finding(`key ${id}`, true, found)];
}

/** Recommends the smallest scopes for secret keys that have been used for less than they allow. */
export const examineScopes = ({ directory, clock }: Service): Finding[] =>
  directory.projects
    .flatMap(({ keys }) => keys)
    .filter((key) => key.kind === "secret" && isUsableKey(key, clock.now()))
    .flatMap((key) => examineKey(key, clock.now()));
