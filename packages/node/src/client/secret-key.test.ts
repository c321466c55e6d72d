import { describe, expect, it } from "vitest";
import { Client } from "./client.ts";
import { TestClock } from "../options/clock.fixture.ts";
import {
  aService,
  baseUrl,
  client,
  json,
  mintBody,
  minted,
  moveTimersByHand,
  secretKey,
  throughAllWaits,
} from "../http/scripted-service.fixture.ts";

moveTimersByHand();

describe("keys", () => {
  const environment = (variables: Record<string, string>, scope = {}) => ({
    variables,
    scope,
    fetch: globalThis.fetch,
    clock: new TestClock(),
    random: () => 0,
  });

  it("come from the environment where no option gives them", async () => {
    const service = aService(json(minted));
    const variables = { AFTERWORD_SECRET_KEY: secretKey, AFTERWORD_BASE_URL: baseUrl };
    await new Client({ fetch: service.fetch }, environment(variables)).mint(mintBody);
    expect(service.seen[0]!.headers.get("authorization")).toBe(`Bearer ${secretKey}`);
  });

  it("may come from a function, asked for each request, so that they can be rotated", async () => {
    const service = aService(json(minted));
    const keys = ["aw_sk_first", "aw_sk_second"];
    const rotating = client(service, { secretKey: async () => keys.shift()! });
    await rotating.mint(mintBody);
    await rotating.mint(mintBody);
    expect(service.seen.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer aw_sk_first",
      "Bearer aw_sk_second",
    ]);
  });

  it.each([
    ["none at all", {}, "No secret key: pass secretKey or set AFTERWORD_SECRET_KEY."],
    ["a publishable one", { secretKey: "aw_pk_0123456789" }, "secretKey is a publishable key"],
    ["another service's publishable one", { secretKey: "pk_live_123" }, "secretKey is a publishable key"],
    ["one with a line break", { secretKey: "aw_sk_0123\n" }, "secretKey contains spaces, line breaks"],
  ])("are refused before any request: %s", (_, options, message) => {
    expect(() => new Client({ baseUrl, ...options }, environment({}))).toThrow(message);
  });

  it("that cannot be loaded is reported, may be retried, and nothing is sent", async () => {
    const service = aService(json(minted));
    const secretKey = () => Promise.reject(new RangeError("vault: hush"));
    const error = await throughAllWaits(client(service, { secretKey }).mint(mintBody)).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ retryable: true, message: "could not load the secret key (RangeError)" });
    expect(service.seen).toEqual([]);
  });

  it("of a function are refused before any request too", async () => {
    const service = aService(json(minted));
    const call = client(service, { secretKey: () => "aw_pk_0123456789" }).mint(mintBody);
    await expect(throughAllWaits(call)).rejects.toThrow("secretKey is a publishable key");
    expect(service.seen).toEqual([]);
  });

  it("never stand in the message of what refuses them", () => {
    const make = () => new Client({ baseUrl, secretKey: "aw_pk_veryprivate" }, environment({}));
    expect(make).not.toThrow("veryprivate");
    expect(make).toThrow("publishable");
  });

  it.each([
    ["a page", { window: { document: {} } }],
    ["a worker of a page", { navigator: { userAgent: "Mozilla/5.0 (X11; Linux x86_64)" } }],
  ])("are refused in %s", (_, scope) => {
    expect(() => new Client({ baseUrl, secretKey }, environment({}, scope))).toThrow(
      "must not run in a browser",
    );
  });

  it.each([
    ["Node", { navigator: { userAgent: "Node.js/24" } }],
    ["Bun", { navigator: { userAgent: "Bun/1.3" } }],
    ["Deno", { navigator: { userAgent: "Deno/2.5" }, window: undefined }],
    ["Cloudflare Workers", { navigator: { userAgent: "Cloudflare-Workers" } }],
    ["an edge runtime without a navigator", {}],
  ])("are welcome in %s", (_, scope) => {
    expect(() => new Client({ baseUrl, secretKey }, environment({}, scope))).not.toThrow();
  });
});
