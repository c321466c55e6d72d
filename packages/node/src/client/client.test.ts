import { describe, expect, it, vi } from "vitest";
import {
  aService,
  baseUrl,
  client,
  json,
  mintBody,
  minted,
  secretKey,
} from "../http/scripted-service.fixture.ts";
import { ConnectionError } from "../index.ts";

describe("mint", () => {
  it("sends what the server knows and answers the tokens", async () => {
    const service = aService(json(minted));
    await expect(client(service).mint({ ...mintBody, taskType: "search" })).resolves.toEqual({
      ...minted,
      gated: false,
      sampled: { "survey-1": true },
    });
    const [request] = service.seen;
    expect(request).toMatchObject({
      method: "POST",
      url: `${baseUrl}/v1/sdk/tokens`,
      body: { ...mintBody, taskType: "search" },
    });
    expect(request!.headers.get("authorization")).toBe(`Bearer ${secretKey}`);
  });

  it("says that a respondent is gated, which is not an error", async () => {
    const service = aService(json({ ...minted, tokens: {} }));
    await expect(client(service).mint(mintBody)).resolves.toMatchObject({ gated: true, tokens: {} });
  });

  it("says of each survey whether it asks about this run", async () => {
    const reason = { failures: "not_sampled", csat: "gated", full: "maximum", gone: "survey_inactive" };
    const service = aService(json({ ...minted, reason }));
    const { sampled } = await client(service).mint(mintBody);
    expect(sampled).toEqual({ "survey-1": true, "failures": false, "csat": true, "full": true });
  });

  it("warns once of a survey that the project does not have", async () => {
    const reason = { chekout: "survey_unknown", csat: "gated" };
    const service = aService(json({ ...minted, tokens: {}, reason }));
    const warn = vi.fn<(message: string) => void>();
    vi.spyOn(console, "warn").mockImplementation(warn);
    for (const one of [client(service, { logger: { ...console, warn } }), client(service)]) {
      warn.mockClear();
      await one.mint({ ...mintBody, surveyId: "chekout" });
      await expect(one.mint({ ...mintBody, surveyId: "chekout" })).resolves.toMatchObject({ gated: true });
      expect(warn).toHaveBeenCalledExactlyOnceWith(
        expect.stringContaining('no survey of this project has the id "chekout"'),
      );
    }
  });

  it("keeps the path of a base URL", async () => {
    const service = aService(json(minted));
    await client(service, { baseUrl: "https://example.com/feedback/" }).mint(mintBody);
    expect(service.seen[0]!.url).toBe("https://example.com/feedback/v1/sdk/tokens");
  });
});

describe("pendingScores", () => {
  it.each([null, ""])("end at a nextCursor that is %j", async (nextCursor) => {
    const service = aService(json({ scores: [{ id: "a" }], nextCursor }));
    const pages = [];
    for await (const page of client(service).pendingScores().pages()) pages.push(page);
    expect(pages).toEqual([{ scores: [{ id: "a" }] }]);
    expect(service.seen).toHaveLength(1);
  });

  const row = (id: string) => ({ id, surveyId: "s", at: "2026-11-21T09:00:00.000Z" });

  it("gives whole pages, a hundred rows each unless told otherwise", async () => {
    const service = aService(json({ scores: [row("a")] }));
    const pages = [];
    for await (const page of client(service).pendingScores({ includeFailed: true }).pages()) pages.push(page);
    expect(pages).toEqual([{ scores: [row("a")] }]);
    expect(new URL(service.seen[0]!.url).search).toBe("?limit=100&includeFailed=true");
  });

  it("fetches no page before it is asked for", async () => {
    const service = aService(json({ scores: [row("a"), row("b")], nextCursor: "next" }));
    for await (const { id } of client(service).pendingScores()) if (id === "b") break;
    expect(service.seen).toHaveLength(1);
  });

  it("keeps what it lists for its consumer on every page, and gives the lease as the service confirms it", async () => {
    const service = aService(
      json({ scores: [row("a")], nextCursor: "next", lease: 60 }),
      json({ scores: [row("b")], lease: 60 }),
    );
    const pages = [];
    const leased = client(service).pendingScores({ leaseInSeconds: 60, consumer: "worker 1" });
    for await (const page of leased.pages()) pages.push(page);
    expect(pages.map(({ leaseInSeconds }) => leaseInSeconds)).toEqual([60, 60]);
    for (const { url } of service.seen) expect(new URL(url).search).toContain("&lease=60&consumer=worker+1");
  });

  it("from a service without leases have no lease", async () => {
    const service = aService(json({ scores: [row("a")] }));
    const pages = client(service).pendingScores({ leaseInSeconds: 0, consumer: "c" }).pages();
    expect((await pages[Symbol.asyncIterator]().next()).value).not.toHaveProperty("leaseInSeconds");
    expect(new URL(service.seen[0]!.url).searchParams.get("lease")).toBe("0");
  });

  it.each([
    [{ leaseInSeconds: 60 }, "belong together"],
    [{ consumer: "c" }, "belong together"],
    [{ leaseInSeconds: 301, consumer: "c" }, "it must be a whole number from 0 to 300"],
  ])("refuse %j before anything is sent", (options, message) => {
    const service = aService(json({}));
    expect(() => client(service).pendingScores(options)).toThrow(message);
    expect(service.seen).toEqual([]);
  });

  it.each([0, -1, 1.5, 101])("refuses a page of %d rows before anything is sent", (limit) => {
    const service = aService(json({}));
    expect(() => client(service).pendingScores({ limit })).toThrow("it must be a whole number from 1 to 100");
    expect(service.seen).toEqual([]);
  });

  it("passes over a malformed score, and lists the others", async () => {
    const scores = [null, { id: "" }, { id: 7 }, { ...row("b"), at: "soon" }, row("a")];
    const found = [];
    for await (const { id } of client(aService(json({ scores }))).pendingScores()) found.push(id);
    expect(found).toEqual(["a"]);
  });

  it.each<object>([
    {},
    { scores: "none" },
    { scores: [], nextCursor: 7 },
    { scores: [], nextCursor: "start" },
  ])("refuse the reply %j, which lists no scores or leads nowhere", async (reply) => {
    const rows = client(aService(json(reply))).pendingScores({ cursor: "start" });
    await expect(rows[Symbol.asyncIterator]().next()).rejects.toThrow(ConnectionError);
  });
});

describe("ack", () => {
  const results = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `row-${index}`, state: "delivered" as const }));

  it("splits above 200 and counts all updates", async () => {
    const service = aService(
      json({ ok: true, updated: 200 }),
      json({ ok: true, updated: 200 }),
      json({ ok: true, updated: 7 }),
    );
    await expect(client(service).ack(results(450))).resolves.toEqual({ updated: 407 });
    const sizes = service.seen.map(({ body }) => (body as { results: unknown[] }).results.length);
    expect(sizes).toEqual([200, 200, 50]);
  });

  it("of nothing sends nothing", async () => {
    const service = aService(json({}));
    await expect(client(service).ack([])).resolves.toEqual({ updated: 0 });
    expect(service.seen).toEqual([]);
  });
});

describe("options that cannot work are refused when the client is made", () => {
  it.each([
    [{ baseUrl: "" }, "No base URL: pass baseUrl or set AFTERWORD_BASE_URL."],
    [{ baseUrl: "feedback.example.com" }, "baseUrl must be an absolute URL"],
    [{ baseUrl: "ftp://example.com" }, "baseUrl must be an absolute URL"],
    [{ baseUrl: "https://me:hush@example.com" }, "baseUrl must have no user, password"],
    [{ baseUrl: "https://example.com/?key=hush" }, "query or fragment"],
    [{ maxRetries: -1 }, "maxRetries is -1; it must be a whole number from 0."],
    [{ maxRetries: 1.5 }, "maxRetries is 1.5"],
    [{ timeoutInMs: 0 }, "timeoutInMs is 0"],
    [{ timeoutInMs: Number.NaN }, "timeoutInMs is NaN"],
  ])("%o", (options, message) => {
    expect(() => client(aService(json({})), options)).toThrow(message);
  });
});
