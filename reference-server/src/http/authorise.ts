import { keyPrefixes } from "../domain/api-key.ts";
import { type FoundKey, type ProjectDirectory } from "../domain/project-directory.ts";
import { Refusal } from "../domain/refusal.ts";

const secretKeyRequired = () =>
  new Refusal("secret_key_required", {
    detail:
      "Send the project's secret key as `Authorization: Bearer` or `X-Service-Key`, from a server only.",
  });

/** The one token of a Bearer header; the scheme's case and spaces around do not matter (decision D28). */
function bearerToken(header: string): string {
  return /^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? "";
}

/** Every credential that was sent must be good, and all of one project (decision D27). @throws Refusal 401 */
export function authoriseSecret(
  directory: ProjectDirectory,
  authorization: string | undefined,
  serviceKey: string | undefined,
  now: number,
): FoundKey {
  const sent: string[] = [];
  if (authorization !== undefined) sent.push(bearerToken(authorization));
  if (serviceKey !== undefined) sent.push(serviceKey.trim());
  const found = sent.map((key) => directory.findSecretKey(key, now));
  const [first] = found;
  if (!first || found.some((other) => other?.project.id !== first.project.id)) throw secretKeyRequired();
  return first;
}

/** The key of a public route (decisions D31, D32). @throws Refusal */
export function authorisePublishable(
  directory: ProjectDirectory,
  key: string | undefined,
  now: number,
): FoundKey {
  if (key === undefined) throw new Refusal("missing_key", { detail: "Send `key` in the body or the query." });
  const found = directory.findPublishableKey(key, now);
  if (found) return found;
  const detail = key.startsWith(keyPrefixes.secret)
    ? "A secret key was sent to a public route: revoke it if a browser had it, and send the publishable key."
    : "Send the project's publishable key.";
  throw new Refusal("invalid_key", { detail });
}
