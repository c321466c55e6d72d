import { type Endpoint, type ProblemCode } from "@afterword/protocol";
import { authorisePublishable, authoriseSecret } from "./authorise.ts";
import { type FoundKey } from "../domain/project-directory.ts";
import { Refusal } from "../domain/refusal.ts";
import { type RequestEvent } from "../operations/events.ts";
import { type Exchange } from "./exchange.ts";
import { type Gate, type Quotas } from "./gate.ts";
import { isOriginAllowed } from "../domain/origins.ts";
import { type Passage } from "../limits/load-guard.ts";
import { checkMediaType, parseJson, readBody } from "./request-body.ts";
import { parseQuery } from "./request-query.ts";
import { shapeOfBody, shapeOfQuery } from "./request-shape.ts";

/** A request that may go to its handler. */
export interface Admitted {
  found: FoundKey;
  query: unknown;
  body: unknown;
}

function bodyOf(bytes: Buffer, code: ProblemCode, { exchange, endpoint }: Admission): unknown {
  if (bytes.length > 0) checkMediaType(exchange.header("content-type"), exchange.header("content-encoding"));
  return shapeOfBody(endpoint, parseJson(bytes, code));
}

function queryOf(exchange: Exchange, endpoint: Endpoint, isKnown: (name: string) => boolean): unknown {
  return shapeOfQuery(
    endpoint,
    parseQuery(exchange.search, isKnown, endpoint.invalidQuery ?? "invalid_query"),
  );
}

const keyOf = (value: unknown) => (value as { key?: string } | undefined)?.key;

function checkKeysAgree(query: unknown, body: unknown): void {
  const [inQuery, inBody] = [keyOf(query), keyOf(body)];
  if (inQuery === undefined || inBody === undefined || inQuery === inBody) return;
  throw new Refusal("invalid_body", {
    detail: "The query and the body have different keys.",
    errors: [{ pointer: "/key", code: "differs_from_query" }],
  });
}

function authorise(quotas: Quotas, endpoint: Endpoint, find: () => FoundKey): FoundKey {
  try {
    return find();
  } catch (refusal) {
    throw quotas.refuseAuthentication(endpoint, refusal);
  }
}

/** What a request is admitted with. */
export interface Admission {
  gate: Gate;
  exchange: Exchange;
  endpoint: Endpoint;
  quotas: Quotas;
  /** Whether the endpoint knows a field of the query. */
  isKnown: (name: string) => boolean;
  trace: RequestEvent;
  passage: Passage;
}

/** Only by its id: the key itself is in the hands of whoever sent it (decision D32). */
function reportExposedKey({ gate, trace }: Admission, key: string | undefined): void {
  const exposed = key === undefined ? undefined : gate.service.directory.exposedKey(key);
  if (!exposed) return;
  const { requestId } = trace;
  gate.events.emit({
    kind: "secret-key-exposed",
    requestId,
    projectId: exposed.projectId,
    keyId: exposed.id,
  });
}

/** Public routes: shape, key, origin, rate (decision D19). */
function admitPage(admission: Admission, query: unknown, body: unknown): FoundKey {
  const { gate, exchange, endpoint, quotas } = admission;
  checkKeysAgree(query, body);
  const { directory, clock } = gate.service;
  const key = keyOf(body) ?? keyOf(query);
  const found = authorise(quotas, endpoint, () => {
    reportExposedKey(admission, key);
    return authorisePublishable(directory, key, clock.now());
  });
  if (!isOriginAllowed(found.project.allowedOrigins, exchange.header("origin"))) {
    throw new Refusal("origin_not_allowed", {
      detail: "Add the page's origin to the project's allowed origins.",
    });
  }
  quotas.takeForProject(endpoint.limit, found.project.id);
  return found;
}

/** Secret routes say nothing to a caller without the key: it is checked before anything else is looked at. */
function admitServer({ gate, exchange, endpoint, quotas }: Admission): FoundKey {
  const { directory, clock } = gate.service;
  const [bearer, key] = [exchange.header("authorization"), exchange.header("x-service-key")];
  const found = authorise(quotas, endpoint, () => authoriseSecret(directory, bearer, key, clock.now()));
  quotas.takeForProject(endpoint.limit, found.project.id);
  return found;
}

/** @throws Refusal or RateLimited, in the order that the decision fixes; nothing was changed by then. */
export async function admit(admission: Admission): Promise<Admitted> {
  const { exchange, endpoint, isKnown, passage } = admission;
  const { bodyLimit: limit = 0, invalidBody: code = "invalid_body" } = endpoint;
  const server = endpoint.auth === "secret" ? admitServer(admission) : undefined;
  const bytes = endpoint.body && (await readBody(exchange, { limit, code, passage }));
  const body = bytes && bodyOf(bytes, code, admission);
  const query = queryOf(exchange, endpoint, isKnown);
  return { found: server ?? admitPage(admission, query, body), query, body };
}
