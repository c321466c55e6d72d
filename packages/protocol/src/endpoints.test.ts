import { describe, expect, it } from "vitest";
import { endpoints, problemsOf, problems, type Endpoint } from "./index.ts";

const table: [string, Endpoint][] = Object.entries(endpoints);
const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe("the table of endpoints", () => {
  it("has the endpoints of the contract, the two extensions and both aliases", () => {
    expect(Object.keys(endpoints)).toEqual([
      "POST /v1/sdk/bootstrap",
      "POST /v1/sdk/responses",
      "POST /v1/dismissals",
      "POST /v1/shown",
      "POST /v1/sdk/tokens",
      "POST /v1/sdk/tokens/check",
      "GET /v1/sdk/pending-scores",
      "POST /v1/sdk/pending-scores/ack",
      "GET /v1/privacy/export",
      "DELETE /v1/privacy/erase",
      "GET /v1/definitions",
      "POST /v1/responses",
    ]);
  });

  it("gives every operation a unique name", () => {
    expect(new Set(table.map(([, endpoint]) => endpoint.operationId)).size).toBe(table.length);
  });

  it.each(table.filter(([, endpoint]) => endpoint.aliasOf))(
    "%s has the shapes of what it is an alias of",
    (_, alias) => {
      const original = endpoints[alias.aliasOf as keyof typeof endpoints];
      expect(alias).toMatchObject({ auth: original.auth, limit: original.limit, status: original.status });
      expect(alias.reply).toBe(original.reply);
    },
  );

  it.each(table)("%s lists its problems, all with known codes", (_, endpoint) => {
    const codes = problemsOf(endpoint);
    expect(codes).toEqual([...new Set(codes)]);
    for (const code of codes) expect(problems[code].status).toBeGreaterThanOrEqual(400);
    expect(codes.includes("rate_limited")).toBe(endpoint.limit !== "none");
  });

  it.each(table.filter(([, endpoint]) => endpoint.body))(
    "%s has an example of its body that it accepts",
    (_, endpoint) => {
      expect(endpoint.bodyExample).toBeDefined();
      expect(accepts(endpoint.body!, endpoint.bodyExample)).toBe(true);
    },
  );

  it("limits bodies so that the worst legal one fits: 256 KiB, mint 32 KiB, ack 512 KiB", () => {
    expect(endpoints["POST /v1/sdk/responses"].bodyLimit).toBe(256 * 1024);
    expect(endpoints["POST /v1/sdk/tokens"].bodyLimit).toBe(32 * 1024);
    expect(endpoints["POST /v1/sdk/pending-scores/ack"].bodyLimit).toBe(512 * 1024);
  });
});
