import { type Endpoint, type Scope } from "@afterword/protocol";
import { keyPrefixes } from "../domain/api-key.ts";
import { isLoopbackOrigin, isOriginAllowed } from "../domain/origins.ts";
import { type FoundKey, type ProjectDirectory } from "../domain/project-directory.ts";
import { Refusal } from "../domain/refusal.ts";
import { type RequestContext } from "./request-context.ts";

const secretKeyRequired = (wasSent: boolean) =>
  new Refusal("secret_key_required", {
    detail: wasSent
      ? "This service does not know the secret key that was sent, or the keys sent are of different projects. Check the key and the service's address."
      : "Send the project's secret key as `Authorization: Bearer` or `X-Service-Key`, from a server only.",
  });

/** The token of a Bearer header; the scheme is case-insensitive and spaces are trimmed. */
function bearerToken(header: string): string {
  return /^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? "";
}

/** A key that is limited to other endpoints. Not counted as a guess at a key: the caller has one. */
const scopeRequired = (project: string, scope: Scope, allowed: readonly Scope[]) =>
  new Refusal("scope_required", {
    detail:
      `This endpoint needs a secret key with the scope ${scope}; the key sent has: ${allowed.join(", ")}. ` +
      `Send another key, or create one: afterword-server key create ${project} secret --scope ${[...allowed, scope].join(",")}`,
  });

type FoundKeys = [FoundKey, ...FoundKey[]];

/** Every credential sent must be valid and belong to the same project (decision D27). @throws Refusal 401 */
function findSecretKeys(
  directory: ProjectDirectory,
  authorization: string | undefined,
  serviceKey: string | undefined,
  now: number,
): FoundKeys {
  const sent: string[] = [];
  if (authorization !== undefined) sent.push(bearerToken(authorization));
  if (serviceKey !== undefined) sent.push(serviceKey.trim());
  const [first, ...others] = sent.flatMap((key) => directory.findKey("secret", key, now) ?? []);
  const areOfOneProject = others.every(({ project }) => project.id === first?.project.id);
  if (!first || 1 + others.length < sent.length || !areOfOneProject) throw secretKeyRequired(sent.length > 0);
  return [first, ...others];
}

/** The key of a public route. @throws Refusal */
function findPublishableKey(directory: ProjectDirectory, key: string | undefined, now: number): FoundKey {
  if (key === undefined)
    throw new Refusal("missing_key", {
      detail: "Send the publishable key as `key` in the body or the query.",
    });
  const found = directory.findKey("publishable", key, now);
  if (found) return found;
  const detail = key.startsWith(keyPrefixes.secret)
    ? "A secret key was sent to a public route. Revoke it if it was in a browser, and send the publishable key."
    : "Send the project's publishable key.";
  throw new Refusal("invalid_key", { detail });
}

/** Runs the search for the keys of a request, whose event names the first one from then on. */
function authorise(context: RequestContext, { limit }: Endpoint, find: () => FoundKeys): FoundKeys {
  try {
    const found = find();
    context.event.projectId = found[0].project.id;
    context.event.keyId = found[0].key.id;
    return found;
  } catch (refusal) {
    try {
      if (refusal instanceof Refusal && refusal.status === 401) context.take("badAuth");
    } catch (limited) {
      // Too many guesses at a key become a 429, except on privacy routes (decision D41).
      if (limit !== "none") throw limited;
    }
    throw refusal;
  }
}

/** Privacy routes have no limits. @throws Refusal */
function takeForProject(context: RequestContext, { limit }: Endpoint, projectId: string): void {
  if (limit === "none") return;
  context.take(limit, projectId);
  if (limit === "public") context.take("project", projectId);
}

const longestLoggedOrigin = 256;

/** Reports a leaked secret key, by its id only. */
function reportExposedKey({ services, event }: RequestContext, key: string | undefined): void {
  const exposed = key === undefined ? undefined : services.service.directory.exposedKey(key);
  if (!exposed) return;
  const { requestId } = event;
  const { projectId, id: keyId } = exposed;
  services.events.emit({ kind: "secret-key-exposed", requestId, projectId, keyId });
}

/** Public routes: key, origin, rate. @throws Refusal */
export function authorisePage(
  context: RequestContext,
  endpoint: Endpoint,
  key: string | undefined,
): FoundKey {
  const { directory, clock } = context.services.service;
  const [found] = authorise(context, endpoint, () => {
    reportExposedKey(context, key);
    return [findPublishableKey(directory, key, clock.now())];
  });
  const origin = context.header("origin");
  // A request without an origin is no browser's.
  const isAllowed = (from: string) =>
    isOriginAllowed(found.project.allowedOrigins, from) ||
    (context.services.allowLoopbackOrigins && isLoopbackOrigin(from));
  if (origin !== undefined && !isAllowed(origin)) {
    context.event.origin = origin.slice(0, longestLoggedOrigin);
    throw new Refusal("origin_not_allowed", {
      detail: "Add the page's origin to the project's allowed origins.",
    });
  }
  context.event.use = "page";
  takeForProject(context, endpoint, found.project.id);
  return found;
}

/** Secret routes: keys, scope, rate. @throws Refusal */
export function authoriseServer(context: RequestContext, endpoint: Endpoint): FoundKey {
  const { directory, clock } = context.services.service;
  const [bearer, serviceKey] = [context.header("authorization"), context.header("x-service-key")];
  const keys = authorise(context, endpoint, () => findSecretKeys(directory, bearer, serviceKey, clock.now()));
  const scope = endpoint.scope!;
  for (const { key, project } of keys) {
    if (!key.scopes || key.scopes.includes(scope)) continue;
    context.event.keyId = key.id;
    throw scopeRequired(project.id, scope, key.scopes);
  }
  takeForProject(context, endpoint, keys[0].project.id);
  return keys[0];
}
