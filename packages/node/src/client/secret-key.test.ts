import { afterEach, describe, expect, it, vi } from "vitest";
import { Afterword } from "../index.ts";
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
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });

  it("come from the environment where no option gives them", async () => {
    const service = aService(json(minted));
    vi.stubEnv("AFTERWORD_SECRET_KEY", secretKey);
    vi.stubEnv("AFTERWORD_BASE_URL", baseUrl);
    await new Afterword({ fetch: service.fetch }).mint(mintBody);
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
    expect(() => new Afterword({ baseUrl, ...options })).toThrow(message);
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
    const make = () => new Afterword({ baseUrl, secretKey: "aw_pk_veryprivate" });
    expect(make).not.toThrow("veryprivate");
    expect(make).toThrow("publishable");
  });

  it.each([
    ["a page", { window: { document: {} } }],
    ["a worker of a page", { navigator: { userAgent: "Mozilla/5.0 (X11; Linux x86_64)" } }],
  ])("are refused in %s", (_, scope) => {
    Object.entries(scope).forEach(([name, value]) => vi.stubGlobal(name, value));
    expect(() => new Afterword({ baseUrl, secretKey })).toThrow("must not run in a browser");
  });

  it.each([
    ["Node", { navigator: { userAgent: "Node.js/24" } }],
    ["Bun", { navigator: { userAgent: "Bun/1.3" } }],
    ["Deno", { navigator: { userAgent: "Deno/2.5" }, window: undefined }],
    ["Cloudflare Workers", { navigator: { userAgent: "Cloudflare-Workers" } }],
    ["an edge runtime without a navigator", { navigator: undefined }],
  ])("are welcome in %s", (_, scope) => {
    Object.entries(scope).forEach(([name, value]) => vi.stubGlobal(name, value));
    expect(() => new Afterword({ baseUrl, secretKey })).not.toThrow();
  });
});
