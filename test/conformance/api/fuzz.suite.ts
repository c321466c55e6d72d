import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { parse } from "yaml";
import { beforeAll, describe, expect, it } from "vitest";
import { proofScale } from "../../faults/proof-scale.ts";
import { type ApiClient, type Reply } from "@afterword/conformance";
import { type SuiteApi } from "./suite-api.ts";
import { unlike } from "./unlike.ts";

/** `pnpm prove` asks for a million in all, on SQLite. */
const requestsPerRoute = Number(
  process.env["AFTERWORD_REQUESTS_PER_ROUTE"] ?? proofScale({ quick: 100, full: 300 }),
);
/** Most of them are spent by the first request that shows them. */
const tokensPerRoute = Math.max(40, requestsPerRoute / 20);
const timeout = Math.max(60_000, requestsPerRoute * 20);

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

type Arbitrary = fc.Arbitrary<unknown>;

const interesting = fc.constantFrom(
  "",
  "x",
  "nps",
  "__proto__",
  "imp_x",
  "💥",
  "a\u0000b",
  "\ud800",
  "true",
  "0",
  "nps-slug",
);
const anyText = fc.oneof(
  interesting,
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 300 }),
);
/** Ids up to the longest, which an index may be too narrow for. */
const anyId = fc.oneof(anyText, fc.constantFrom(unlike(256), unlike(1024)));
const anything: Arbitrary = fc.oneof(fc.anything({ maxDepth: 3 }), anyText, fc.integer(), fc.constant(null));
/** Mostly what belongs there, sometimes anything at all: else nearly every request would fail at its first field. */
const mostly = (right: Arbitrary): Arbitrary =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: anything });

function bodiesFor(client: ApiClient, token: () => string): Record<string, Arbitrary> {
  const key = fc.constant(client.keys.publishableKey);
  const showToken = fc.oneof(fc.constant(null).map(token), anyText);
  const id = fc.oneof(fc.constantFrom("nps", "csat"), anyText);
  const spending = {
    key: mostly(key),
    showToken: mostly(showToken),
    surveyId: mostly(id),
    userId: mostly(anyId),
  };
  const response = fc.record(
    {
      ...spending,
      rating: mostly(fc.integer({ min: -1, max: 11 })),
      text: mostly(anyText),
      traits: mostly(fc.object({ maxDepth: 3 })),
      sessionId: mostly(anyText),
      taskType: mostly(anyText),
      followUpRequested: mostly(fc.boolean()),
    },
    { requiredKeys: ["key"] },
  );
  const result = fc.record({ id: mostly(anyText), state: mostly(fc.constantFrom("delivered", "failed")) });
  const mint = { respondentId: mostly(anyId), sessionId: mostly(anyId), surveyId: mostly(id) };
  return {
    "/v1/sdk/bootstrap": fc.record(
      { key: mostly(key), userId: mostly(anyId), traits: mostly(fc.object()) },
      { requiredKeys: ["key"] },
    ),
    "/v1/sdk/responses": response,
    "/v1/responses": response,
    "/v1/dismissals": fc.record(spending, { requiredKeys: ["key"] }),
    "/v1/sdk/tokens": fc.record(mint, { requiredKeys: ["respondentId", "sessionId"] }),
    "/v1/sdk/tokens/check": fc.record(
      { key: mostly(key), showToken: mostly(showToken), showTokens: mostly(fc.array(showToken)) },
      { requiredKeys: ["key"] },
    ),
    "/v1/shown": fc.record({ key: mostly(key), showToken: mostly(showToken) }, { requiredKeys: ["key"] }),
    "/v1/sdk/pending-scores/ack": fc.record({ results: mostly(fc.array(result, { maxLength: 5 })) }),
  };
}

const queryName = fc.constantFrom(
  "key",
  "userId",
  "limit",
  "includeFailed",
  "cursor",
  "lease",
  "consumer",
  "respondentId",
  "email",
  "surveySlug",
  "x",
);
const queries = fc.dictionary(
  queryName,
  fc.oneof(anyText, fc.constantFrom("1", "true", "a@b.example", "nps-slug")),
  { maxKeys: 3 },
);

export function fuzzSuite(suite: SuiteApi) {
  describe("requests made at random from the description", () => {
    let description: Description;
    let ajv: Ajv2020;

    beforeAll(async () => {
      const { text } = await suite.client("plain").call("GET", "/openapi.yaml");
      description = parse(text) as Description;
      ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema({ $id: "api", ...description });
    });

    /** Whether the description foresees the status and the body has the shape that it promises. */
    const check = (path: string, method: string, { status, headers, json }: Reply) => {
      expect(status).toBeLessThan(500);
      const content = description.paths[path]![method.toLowerCase()]!.responses[String(status)]?.content;
      const type = headers.get("content-type")!.split(";")[0]!;
      const pointer = [path, method.toLowerCase(), "responses", String(status), "content", type, "schema"]
        .map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"))
        .join("/");
      expect(content, `${method} ${path} does not describe ${status}`).toHaveProperty([type]);
      // Compiled once; a schema of its own for each reply would be compiled for each.
      const validate = ajv.getSchema(`api#/paths/${pointer}`)!;
      const isValid = validate(json);
      if (isValid) return;
      const errors = ajv.errorsText(validate.errors);
      throw new Error(`${method} ${path} ${status}: ${errors} in ${JSON.stringify(json).slice(0, 300)}`);
    };

    const settings = { numRuns: requestsPerRoute, seed: 20260304 };

    it.each([
      "/v1/sdk/bootstrap",
      "/v1/sdk/responses",
      "/v1/responses",
      "/v1/dismissals",
      "/v1/sdk/tokens",
      "/v1/sdk/tokens/check",
      "/v1/shown",
      "/v1/sdk/pending-scores/ack",
    ])("POST %s answers as described, whatever it gets", { timeout }, async (path) => {
      const client = suite.client("plain");
      const tokens: string[] = [];
      for (let count = 0; count < tokensPerRoute; count++)
        tokens.push(await client.unboundToken(count % 2 ? "nps" : "csat"));
      let next = 0;
      const body = bodiesFor(client, () => tokens[next++ % tokens.length]!)[path]!;
      const statuses = new Set<number>();
      const property = fc.asyncProperty(body, queries, async (value, query) => {
        const sent = JSON.stringify(value) ?? "";
        const { key: _, ...others } = query;
        const reply = await client.server("POST", path, { body: sent, query: others });
        statuses.add(reply.status);
        check(path, "POST", reply);
      });
      await fc.assert(property, settings);
      // Requests that are all refused prove nothing.
      expect([...statuses].some((status) => status < 300)).toBe(true);
      expect([...statuses].some((status) => status >= 400)).toBe(true);
    });

    it.each([
      ["GET", "/v1/definitions"],
      ["GET", "/v1/sdk/pending-scores"],
      ["GET", "/v1/privacy/export"],
      ["DELETE", "/v1/privacy/erase"],
    ])("%s %s answers as described, whatever it is asked", { timeout }, async (method, path) => {
      const client = suite.client("other");
      const statuses = new Set<number>();
      const property = fc.asyncProperty(queries, fc.boolean(), async (others, hasKey) => {
        // Without the right key hardly anything gets past the door.
        const isMeant = hasKey && path === "/v1/definitions";
        const query = { ...wellFormed(others), ...(isMeant && { key: client.keys.publishableKey }) };
        const reply = await client.server(method, path, { query });
        statuses.add(reply.status);
        check(path, method, reply);
      });
      await fc.assert(property, settings);
      expect([...statuses].some((status) => status < 300)).toBe(true);
      expect([...statuses].some((status) => status >= 400)).toBe(true);
    });
  });
}

/** URLSearchParams would replace half characters by itself; the rest goes as it is. */
function wellFormed(query: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value.toWellFormed()]));
}
