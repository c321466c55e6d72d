import { methodAndPath, problemsOf, type Endpoint } from "./endpoint.ts";
import { namedSchemas, reference, schemaOfQuery, schemaUri, type Json } from "./openapi-schemas.ts";
import { problems, type ProblemCode } from "./problems.ts";
import { problemExample } from "./reply-examples.ts";

interface Parameters {
  list: Json[];
  /** Whether fields of the query that are not listed are ignored; else they are refused. */
  areOthersIgnored: boolean;
}

function parametersOf(endpoint: Endpoint): Parameters {
  const { properties = {}, additionalProperties } = schemaOfQuery(endpoint.query);
  const list = Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Json;
    // Without a body, only the query can carry the key.
    return { name, in: "query", description, required: name === "key" && !endpoint.body, schema };
  });
  return { list, areOthersIgnored: additionalProperties !== false };
}

const limitHeaders = {
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimit-Policy" },
  "RateLimit": { $ref: "#/components/headers/RateLimit" },
};

function refusal(endpoint: Endpoint, status: number, codes: ProblemCode[]): Json {
  const waits = status === 429 || status === 503;
  const examples = codes.map((code) => [code, { value: problemExample(code, status, endpoint.limit) }]);
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(" "),
    ...(waits && { headers: { "Retry-After": { $ref: "#/components/headers/Retry-After" } } }),
    content: {
      "application/problem+json": {
        schema: { allOf: [{ $ref: schemaUri("Problem") }, { properties: { code: { enum: codes } } }] },
        examples: Object.fromEntries(examples) as Json,
      },
    },
  };
}

/** A used token is 409 on submit; the contract lists no 409 for dismissals, so there it is 401. */
function statusOn(endpoint: Endpoint, code: ProblemCode): number {
  return code === "token_used" && endpoint.operationId === "dismiss" ? 401 : problems[code].status;
}

function responsesOf(endpoint: Endpoint): Json {
  const codesByStatus = Map.groupBy(problemsOf(endpoint), (code) => statusOn(endpoint, code));
  const refusals = [...codesByStatus].map(([status, codes]) => [
    String(status),
    refusal(endpoint, status, codes),
  ]);
  const success = {
    description: "Success",
    ...(endpoint.limit !== "none" && { headers: limitHeaders }),
    content: { "application/json": { schema: reference(endpoint.reply), example: endpoint.replyExample } },
  };
  return { [String(endpoint.status)]: success, ...Object.fromEntries(refusals) };
}

/** The headings of the reference. */
const groups = {
  publishable: {
    name: "For pages and agents",
    description:
      "With the publishable key. The project's list must contain the page's origin, and this page's own to try them here.",
  },
  secret: { name: "For servers", description: "With the secret key, which must never reach a browser." },
  alias: { name: "Aliases", description: "Of endpoints above; do not use them in new integrations." },
};

const groupOf = ({ auth, aliasOf }: Endpoint) => groups[aliasOf ? "alias" : auth].name;

/** The body may carry the publishable key, which no security scheme can express. */
function securityOf({ auth, scope, body }: Endpoint): Json[] {
  const roles = scope ? [scope] : [];
  if (auth === "secret") return [{ secretBearer: roles }, { secretHeader: roles }];
  return body ? [{ publishableQuery: [] }, {}] : [{ publishableQuery: [] }];
}

function operationOf(endpoint: Endpoint): Json {
  const { aliasOf, body, bodyExample: example, bodyOptional = false } = endpoint;
  const { list, areOthersIgnored } = parametersOf(endpoint);
  return {
    "operationId": endpoint.operationId,
    "summary": endpoint.summary,
    "tags": [groupOf(endpoint)],
    "description": aliasOf ? `Use \`${aliasOf}\` in new integrations.` : endpoint.description,
    "security": securityOf(endpoint),
    "parameters": list,
    // OpenAPI cannot express which parameters may be combined, nor whether others are refused.
    "x-parameter-combinations": endpoint.queryCombinations,
    "x-other-parameters": areOthersIgnored ? "ignored" : "refused",
    ...(body && {
      requestBody: {
        required: !bodyOptional,
        content: {
          "application/json": { schema: reference(body), ...(example !== undefined && { example }) },
        },
      },
    }),
    "responses": responsesOf(endpoint),
  };
}

function pathsOf(table: Record<string, Endpoint>): Json {
  const paths: Record<string, Json> = {};
  for (const [key, endpoint] of Object.entries(table)) {
    const { method, path } = methodAndPath(key);
    (paths[path] ??= {})[method.toLowerCase()] = operationOf(endpoint);
  }
  return paths;
}

const securitySchemes = {
  publishableQuery: {
    type: "apiKey",
    in: "query",
    name: "key",
    description: "Publishable key; clients may send it as the body's `key` instead.",
  },
  secretBearer: { type: "http", scheme: "bearer", description: "Secret key; for servers only." },
  secretHeader: {
    type: "apiKey",
    in: "header",
    name: "X-Service-Key",
    description: "Secret key; for servers only.",
  },
};

const headers = {
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 0 },
  },
  "RateLimit-Policy": { description: "The quota and its window in seconds.", schema: { type: "string" } },
  "RateLimit": {
    description: "The remaining quota and when it resets.",
    schema: { type: "string" },
  },
};

/** The machine-readable description of the wire: OpenAPI 3.1, version 0.1 (contract section 9). */
export function openApiDocument(table: Record<string, Endpoint>) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Afterword",
      version: "0.1",
      description:
        "Collects ratings and links each to the session of an AI agent's run. Errors are problem documents: act on the " +
        "status first, then on the stable `code`; texts may change.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: ".", description: "the server that serves this document" }],
    tags: Object.values(groups),
    paths: pathsOf(table),
    components: { schemas: namedSchemas(), securitySchemes, headers },
  };
}
