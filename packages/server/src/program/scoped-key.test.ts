import { scopes, type Scope } from "@afterword/protocol";
import { describe, expect, it } from "vitest";
import { createKey } from "../administration/manage-keys.ts";
import { type ServerEvent } from "@afterword/reference-server";
import { createApp } from "@afterword/reference-server/internal";

const secretKey = `aw_sk_${"s".repeat(43)}`;
const projects = [
  { id: "shop", name: "Shop", allowedOrigins: ["*"], publishableKey: `aw_pk_${"p".repeat(43)}`, secretKey },
].map((project) => ({ ...project, surveys: [] }));

/** A request of each secret route that a key with its scope gets past the check of keys with. */
const routes: readonly [Scope, string, string, object?][] = [
  ["mint", "POST", "/v1/sdk/tokens", {}],
  ["scores", "GET", "/v1/sdk/pending-scores"],
  ["scores", "POST", "/v1/sdk/pending-scores/ack", { results: [{ id: "unknown", state: "failed" }] }],
  ["privacy", "GET", "/v1/privacy/export"],
  ["privacy", "DELETE", "/v1/privacy/erase"],
];

/** A service with a key that is limited. */
async function withKey(...limits: Scope[]) {
  const uses: unknown[] = [];
  const emit = (event: ServerEvent) => event.kind === "request" && uses.push(event.use);
  const { app, service, close } = await createApp({ config: { projects }, events: { emit } });
  const { key } = await createKey(service, "shop", { kind: "secret", scopes: limits });
  const outcomeOf = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const type: Record<string, string> = body ? { "content-type": "application/json" } : {};
    const init = { method, headers: { ...type, ...headers }, body: body && JSON.stringify(body) };
    const reply = await app.request(path, init);
    return reply.status === 401 ? ((await reply.json()) as { code: string }).code : "allowed";
  };
  return { key, outcomeOf, uses, [Symbol.asyncDispose]: close };
}

describe("a secret key with scopes", () => {
  it.each(scopes)("of %s alone is refused elsewhere with 401 scope_required", async (scope) => {
    await using limited = await withKey(scope);
    for (const [needed, method, path, body] of routes) {
      const outcome = await limited.outcomeOf(method, path, { authorization: `Bearer ${limited.key}` }, body);
      expect([path, outcome]).toEqual([path, needed === scope ? "allowed" : "scope_required"]);
    }
  });

  it("is refused beside a key that allows everything, since each key sent needs the scope", async () => {
    await using limited = await withKey("mint");
    const headers = { "authorization": `Bearer ${secretKey}`, "x-service-key": limited.key };
    expect(await limited.outcomeOf("GET", "/v1/sdk/pending-scores", headers)).toBe("scope_required");
  });

  it("is noted as used for the scope of the route, and not where it is refused", async () => {
    await using limited = await withKey("mint", "scores");
    for (const path of ["/v1/sdk/pending-scores", "/v1/privacy/export"])
      await limited.outcomeOf("GET", path, { "x-service-key": limited.key });
    // Not valid, so that it says only what the key allows.
    expect(await limited.outcomeOf("POST", "/v1/sdk/tokens", { "x-service-key": limited.key }, {})).toBe(
      "allowed",
    );
    expect(limited.uses).toEqual(["scores", undefined, undefined]);
  });
});
