import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Shop, shopKeys } from "../commands/shop.fixture.ts";

let shop: Shop | undefined;
afterEach(() => shop?.[Symbol.asyncDispose]());

const open = async (options: object = {}) => (shop = await Shop.open({ admin: { port: 0 }, ...options }));

async function metrics({ server }: Shop): Promise<string> {
  const reply = await fetch(`${server.adminUrl}/metrics`);
  expect(reply.status).toBe(200);
  return reply.text();
}

/** The value of one time series. */
async function value(of: Shop, series: string): Promise<number> {
  const line = (await metrics(of)).split("\n").find((one) => one.startsWith(`${series} `));
  return Number(line?.split(" ").at(-1));
}

describe("metrics", () => {
  it("are off by default and never on the public port", async () => {
    const on = await open();
    expect((await on.call("GET", "/metrics")).status).toBe(404);
    await using off = await Shop.open({});
    expect(off.server.adminUrl).toBeUndefined();
  });

  it("count requests by operation and status, refused tokens, and ratings and dismissals once each", async () => {
    const here = await open();
    await here.answer({ respondentId: "ada" });
    const again = { key: shopKeys.publishable, surveyId: "ease", userId: "bob" };
    const bobs = await here.mint({ respondentId: "bob", surveyId: "ease" });
    const twice = () => here.call("POST", "/v1/dismissals", { ...again, showToken: bobs });
    await Promise.all([twice(), twice()]);
    const showToken = "st1.nonsense";
    await here.call("POST", "/v1/sdk/responses", {
      key: shopKeys.publishable,
      showToken,
      surveyId: "satisfaction",
      rating: 3,
    });
    expect(
      await value(here, 'afterword_requests_total{operation="POST /v1/sdk/responses",status="201"}'),
    ).toBe(1);
    expect(await value(here, 'afterword_requests_total{operation="POST /v1/sdk/tokens",status="200"}')).toBe(
      2,
    );
    expect(await value(here, 'afterword_records_stored_total{kind="rating"}')).toBe(1);
    expect(await value(here, 'afterword_records_stored_total{kind="dismissal"}')).toBe(1);
    expect(await value(here, 'afterword_tokens_refused_total{code="token_invalid"}')).toBe(1);
    const durations = 'afterword_request_duration_seconds_count{operation="POST /v1/sdk/responses"}';
    expect(await value(here, durations)).toBe(2);
  });

  it("show the queue of each project and the age of its oldest score", async () => {
    let now = Date.now();
    const here = await open({ clock: { now: () => now, monotonic: () => now } });
    await here.answer({ respondentId: "ada" });
    now += 90_000;
    await here.answer({ respondentId: "bob" });
    expect(await value(here, 'afterword_queue_pending{project="shop"}')).toBe(2);
    expect(await value(here, 'afterword_queue_oldest_pending_age_seconds{project="shop"}')).toBe(90);
    const reply = await here.asServer("GET", "/v1/sdk/pending-scores");
    const { scores } = (await reply.json()) as { scores: { id: string }[] };
    const results = scores.map(({ id }, index) => ({ id, state: index === 0 ? "delivered" : "failed" }));
    await here.asServer("POST", "/v1/sdk/pending-scores/ack", { results });
    now += 10_000;
    expect(await value(here, 'afterword_queue_pending{project="shop"}')).toBe(0);
    expect(await value(here, 'afterword_queue_failed{project="shop"}')).toBe(1);
    expect(await value(here, 'afterword_queue_oldest_pending_age_seconds{project="shop"}')).toBe(0);
  });

  it("get no label that a client invented", async () => {
    const here = await open();
    for (let at = 0; at < 50; at++) await here.call("GET", `/made/up/${at}`);
    const text = await metrics(here);
    expect(text).not.toContain("made");
    expect(text).toContain('afterword_requests_total{operation="other",status="404"} 50');
  });

  it("count HEAD as a separate operation", async () => {
    const here = await open();
    for (const path of ["/v1/definitions", "/v1/sdk/pending-scores", "/v1/privacy/export"]) {
      await here.call("HEAD", path);
      expect(await metrics(here)).toContain(`afterword_requests_total{operation="HEAD ${path}"`);
    }
  });

  it("answer 404 for other paths and 405 for other methods", async () => {
    const { server } = await open();
    expect((await fetch(`${server.adminUrl}/v1/sdk/bootstrap`)).status).toBe(404);
    expect((await fetch(`${server.adminUrl}/metrics`, { method: "POST" })).status).toBe(405);
  });
});

describe("health", () => {
  it("is available on both ports, without a key", async () => {
    const { server } = await open();
    for (const base of [server.url, server.adminUrl]) {
      expect(await (await fetch(`${base}/healthz`)).json()).toEqual({ status: "ok" });
      expect(await (await fetch(`${base}/readyz`)).json()).toMatchObject({ status: "ready" });
    }
  });

  it("stays 200 on both ports while audit lines cannot be written, says so, and the gauge is 0", async () => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-audit-"));
    const auditFile = join(folder, "audit.jsonl");
    const here = await open({ auditFile });
    const { url, adminUrl } = here.server;
    expect(await value(here, "afterword_audit_up")).toBe(1);
    rmSync(auditFile);
    mkdirSync(auditFile);
    const erasing = await here.asServer("DELETE", "/v1/privacy/erase?respondentId=ann");
    expect(erasing.status).toBe(503);
    for (const base of [url, adminUrl]) {
      const reply = await fetch(`${base}/readyz`);
      expect([reply.status, await reply.json()]).toEqual([
        200,
        expect.objectContaining({ status: "ready", audit: "cannot be written" }),
      ]);
    }
    expect(await value(here, "afterword_audit_up")).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
