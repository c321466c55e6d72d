import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import {
  endpoints,
  methodAndPath,
  openApiDocument,
  problemDocument,
  problemsOf,
  type Endpoint,
  type ProblemDocument,
} from "./index.ts";

interface Content {
  schema: { allOf?: [unknown, { properties: { code: { enum: string[] } } }] };
  example?: unknown;
  examples?: Record<string, { value: ProblemDocument }>;
}

interface Operation {
  "operationId": string;
  "security": Record<string, unknown>[];
  "parameters": { name: string; description?: string; required: boolean }[];
  "requestBody"?: { required: boolean };
  "x-parameter-combinations"?: string[][];
  "x-other-parameters": "ignored" | "refused";
  "responses": Record<string, { content: Record<string, Content> }>;
}

const document = openApiDocument(endpoints) as ReturnType<typeof openApiDocument> & {
  components: { schemas: Record<string, { properties: Record<string, Record<string, unknown>> }> };
};
const table: [string, Endpoint][] = Object.entries(endpoints);

function operation(key: string): Operation {
  const { method, path } = methodAndPath(key);
  return (document.paths[path] as Record<string, Operation>)[method.toLowerCase()]!;
}

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("describes exactly the table of endpoints", () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(Object.keys(endpoints).toSorted());
  });

  it.each(table)("%s lists its success and each of its problems", (key, endpoint) => {
    const { responses } = operation(key);
    expect(responses[endpoint.status]).toBeDefined();
    const described = Object.values(responses).flatMap(
      ({ content }) => content["application/problem+json"]?.schema.allOf?.[1].properties.code.enum ?? [],
    );
    expect(described.toSorted()).toEqual(problemsOf(endpoint).toSorted());
  });

  it.each(table)("%s has valid examples of its reply and problems", (key, endpoint) => {
    const { responses } = operation(key);
    const { example } = responses[endpoint.status]!.content["application/json"]!;
    expect(endpoint.reply.parse(example)).toEqual(example);
    for (const [status, { content }] of Object.entries(responses)) {
      for (const [code, { value }] of Object.entries(content["application/problem+json"]?.examples ?? {})) {
        expect(problemDocument.parse(value)).toEqual(value);
        expect([value.code, value.status]).toEqual([code, Number(status)]);
      }
    }
  });

  it.each(table)("%s has a description, also of each query field", (key) => {
    expect(operation(key)).toHaveProperty("description", expect.any(String));
    for (const { name, description } of operation(key).parameters)
      expect([name, description]).not.toContain(undefined);
  });

  it("has only patterns that request generators understand, and formats instead where they exist", () => {
    const text = JSON.stringify(document);
    const patterns = [...text.matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(([, pattern]) => pattern!);
    expect(new Set(patterns)).toEqual(new Set([String.raw`^[^\\u0000-\\u001f\\u007f-\\u009f]*$`, "^imp_"]));
    const { at } = document.components.schemas["IngestOk"]!.properties;
    expect(at).toEqual({ type: "string", format: "date-time" });
    const parameter = (key: string, name: string) =>
      operation(key).parameters.find((given) => given.name === name);
    expect(parameter("GET /v1/privacy/export", "email")).toMatchObject({ schema: { format: "email" } });
    const limit = { type: "integer", minimum: 1, maximum: 999_999_999 };
    expect(parameter("GET /v1/sdk/pending-scores", "limit")).toHaveProperty("schema", limit);
  });

  it("lists exactly the combinations of selectors that an erasure accepts", () => {
    const names = ["respondentId", "email", "surveySlug", "account"] as const;
    const values = { respondentId: "jo", email: "jo@example.com", surveySlug: "csat", account: "true" };
    const all = Array.from({ length: 16 }, (_, mask) => names.filter((_name, index) => mask & (1 << index)));
    const taken = all.filter((combination) => {
      const query = Object.fromEntries(combination.map((name) => [name, values[name]]));
      return endpoints["DELETE /v1/privacy/erase"].query.safeParse(query).success;
    });
    const listed = operation("DELETE /v1/privacy/erase")["x-parameter-combinations"];
    expect(taken.map((names) => names.join()).toSorted()).toEqual(
      listed!.map((names) => names.join()).toSorted(),
    );
  });

  it.each(table)("states whether %s refuses a query field that it does not list", (key, { query }) => {
    const some = key.startsWith("DELETE") ? { respondentId: "jo" } : {};
    const isRefused = !query.safeParse({ ...some, unlisted: "x" }).success;
    expect(query.safeParse(some).success).toBe(true);
    expect(operation(key)["x-other-parameters"]).toBe(isRefused ? "refused" : "ignored");
  });

  it("requires the key in the query only for endpoints without a body", () => {
    const keyOf = (key: string) => operation(key).parameters.find(({ name }) => name === "key")?.required;
    expect([keyOf("GET /v1/definitions"), keyOf("POST /v1/sdk/bootstrap")]).toEqual([true, false]);
    expect(operation("GET /v1/definitions").security).toEqual([{ publishableQuery: [] }]);
  });

  it("names every schema and resolves every reference", () => {
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
    expect(text).not.toContain("$defs");
  });
});
