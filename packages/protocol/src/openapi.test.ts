import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { endpoints, methodAndPath, openApiDocument, problemsOf, type Endpoint } from "./index.ts";

interface Operation {
  operationId: string;
  requestBody?: { required: boolean };
  responses: Record<
    string,
    {
      content: Record<
        string,
        { schema: { allOf?: [unknown, { properties: { code: { enum: string[] } } }] } }
      >;
    }
  >;
}

const document = openApiDocument(endpoints);
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

  it("is version 0.1", () => expect(document.info.version).toBe("0.1"));

  it("describes the table and nothing else", () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(Object.keys(endpoints).toSorted());
  });

  it.each(table)("%s lists its success and each of its refusals", (key, endpoint) => {
    const { responses } = operation(key);
    expect(responses[endpoint.status]).toBeDefined();
    const described = Object.values(responses).flatMap(
      ({ content }) => content["application/problem+json"]?.schema.allOf?.[1].properties.code.enum ?? [],
    );
    expect(described.toSorted()).toEqual(problemsOf(endpoint).toSorted());
  });

  it("says that dismissal answers a used token with 401, as it has no 409", () => {
    expect(Object.keys(operation("POST /v1/dismissals").responses)).not.toContain("409");
    expect(Object.keys(operation("POST /v1/sdk/responses").responses)).toContain("409");
  });

  it("says that bootstrap's body may be left out", () => {
    expect(operation("POST /v1/sdk/bootstrap").requestBody?.required).toBe(false);
    expect(operation("POST /v1/sdk/tokens").requestBody?.required).toBe(true);
  });

  it("has no schema without a name and no reference to nowhere", () => {
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
    expect(text).not.toContain("$defs");
  });
});
