import { type Endpoint } from "@afterword/protocol";
import { authorisePublishable, authoriseSecret } from "./authorise.ts";
import { type FoundKey } from "./domain/project-directory.ts";
import { Refusal } from "./domain/refusal.ts";
import { type Exchange } from "./exchange.ts";
import { type Gate, type Quotas } from "./gate.ts";
import { isOriginAllowed } from "./origins.ts";
import { checkMediaType, parseJson, readBody } from "./request-body.ts";
import { parseQuery } from "./request-query.ts";
import { shapeOfBody, shapeOfQuery } from "./request-shape.ts";

/** A request that may go to its handler. */
export interface Admitted {
  found: FoundKey;
  query: unknown;
  body: unknown;
}

async function bodyOf(exchange: Exchange, endpoint: Endpoint): Promise<unknown> {
  const { body, bodyLimit = 0, invalidBody = "invalid_body" } = endpoint;
  if (!body) return undefined;
  const bytes = await readBody(exchange, bodyLimit, invalidBody);
  if (bytes.length > 0) checkMediaType(exchange.header("content-type"), exchange.header("content-encoding"));
  return shapeOfBody(endpoint, parseJson(bytes, invalidBody));
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

type Admission = (
  gate: Gate,
  exchange: Exchange,
  endpoint: Endpoint,
  quotas: Quotas,
  isKnown: (name: string) => boolean,
) => Promise<Admitted>;

/** Public routes: shape, key, origin, rate (decision D19). */
const admitPublic: Admission = async (gate, exchange, endpoint, quotas, isKnown) => {
  const body = await bodyOf(exchange, endpoint);
  const query = queryOf(exchange, endpoint, isKnown);
  checkKeysAgree(query, body);
  const { directory, clock } = gate.service;
  const found = authorise(quotas, endpoint, () =>
    authorisePublishable(directory, keyOf(query), keyOf(body), clock.now()),
  );
  if (!isOriginAllowed(found.project.allowedOrigins, exchange.header("origin"))) {
    throw new Refusal("origin_not_allowed", {
      detail: "Add the page's origin to the project's allowed origins.",
    });
  }
  quotas.takeForProject(endpoint.limit, found.project.id);
  return { found, query, body };
};

/** Secret routes say nothing to a caller without the key: it is checked before anything else is looked at. */
const admitServer: Admission = async (gate, exchange, endpoint, quotas, isKnown) => {
  const { directory, clock } = gate.service;
  const found = authorise(quotas, endpoint, () =>
    authoriseSecret(
      directory,
      exchange.header("authorization"),
      exchange.header("x-service-key"),
      clock.now(),
    ),
  );
  quotas.takeForProject(endpoint.limit, found.project.id);
  return { found, body: await bodyOf(exchange, endpoint), query: queryOf(exchange, endpoint, isKnown) };
};

/** @throws Refusal or RateLimited, in the order that the decision fixes; nothing was changed by then. */
export const admit: Admission = (gate, exchange, endpoint, quotas, isKnown) =>
  (endpoint.auth === "secret" ? admitServer : admitPublic)(gate, exchange, endpoint, quotas, isKnown);
