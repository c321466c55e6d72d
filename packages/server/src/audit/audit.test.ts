import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endpoints, methodAndPath, type EndpointKey } from "@afterword/protocol";
import { afterAll, describe, expect, it, vi } from "vitest";
import { type ServerConfig } from "@afterword/reference-server/internal";
import { type AuditEvent, type ServerEvent } from "./audit-trail.ts";
import { createApp } from "../program/create-app.ts";
import { openStore } from "../postgres/open-store.ts";
import { survey } from "../commands/afterword-server.fixture.ts";
import { openAuditFile } from "./open-audit-trail.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-audit-routes-"));
afterAll(() => rmSync(folder, { recursive: true }));

const project = {
  id: "shop",
  name: "Shop",
  allowedOrigins: ["*"],
  publishableKey: `aw_pk_${"p".repeat(43)}`,
  secretKey: `aw_sk_${"s".repeat(43)}`,
  surveys: [],
};
const config = { projects: [project], rateLimits: false as const };
const clock = { now: () => Date.parse("2026-03-01T12:00:00.000Z") };

async function open(auditFile?: string) {
  const events: ServerEvent[] = [];
  const application = await createApp({
    config,
    clock,
    events: { emit: (event) => void events.push(event) },
    auditTrail: auditFile === undefined ? undefined : openAuditFile(auditFile, clock),
  });
  const audits = () =>
    events
      .filter((event): event is AuditEvent => event.kind === "audit")
      .map(({ action, outcome }) => `${action} ${outcome}`);
  const call = (key: EndpointKey, query = "") => {
    const { method, path } = methodAndPath(key);
    const headers = { "authorization": `Bearer ${project.secretKey}`, "content-type": "application/json" };
    const body = method === "POST" ? JSON.stringify(bodies[key] ?? {}) : undefined;
    return application.app.request(path + query, { method, headers, body });
  };
  return { ...application, call, audits };
}

const bodies: Partial<Record<EndpointKey, object>> = {
  "POST /v1/sdk/tokens": { respondentId: "ann", sessionId: "s" },
  "POST /v1/sdk/pending-scores/ack": { results: [{ id: "none", state: "delivered" }] },
};

/** What each endpoint of a secret key leaves in the audit; a new endpoint needs a line here. */
const acts: Partial<Record<EndpointKey, { query?: string; lines?: string[]; reason?: string }>> = {
  "POST /v1/sdk/tokens": {
    reason: "the application does this for each run; its key is in the log by the minute",
  },
  "GET /v1/sdk/pending-scores": { reason: "the forwarder reads scores all the time" },
  "POST /v1/sdk/pending-scores/ack": { reason: "the forwarder acknowledges all the time" },
  "GET /v1/privacy/export": { query: "?respondentId=ann", lines: ["export done"] },
  "DELETE /v1/privacy/erase": { query: "?respondentId=ann", lines: ["erase started", "erase done"] },
};

/** What the first start with the config leaves. */
const started = ["config started", "config done"];

const keys = Object.keys(endpoints) as EndpointKey[];
const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("the audit of requests", () => {
  it("knows every endpoint of a secret key", () => {
    expect(Object.keys(acts).toSorted()).toEqual(
      keys.filter((key) => endpoints[key].auth === "secret").toSorted(),
    );
  });

  it.each(Object.entries(acts) as [EndpointKey, (typeof acts)[EndpointKey] & object][])(
    "has a line of %s if that is an export, and two if it is an erasure",
    async (key, { query, lines = [] }) => {
      await using shop = await open();
      expect((await shop.call(key, query)).status).toBeLessThan(300);
      expect(shop.audits()).toEqual([...started, ...lines]);
    },
  );

  it("is on disk before the reply, with what the config file has changed", async () => {
    const file = join(folder, "audit.jsonl");
    await using shop = await open(file);
    const reply = await shop.call("GET /v1/privacy/export");
    const config = { what: "config", who: "config file", details: { changed: { projects: ["shop"] } } };
    expect(linesOf(file)).toMatchObject([
      { ...config, outcome: "started" },
      { ...config, outcome: "done" },
      { what: "export", who: expect.stringMatching(/^key_/), project: "shop", outcome: "done" },
    ]);
    await reply.body?.cancel();
  });

  it("is needed: without its line an export gives nothing out, and an erasure erases nothing", async () => {
    const file = join(folder, "gone.jsonl");
    await using shop = await open(file);
    const erased = vi.spyOn(shop.service.store, "erase");
    rmSync(file);
    mkdirSync(file);
    for (const key of ["GET /v1/privacy/export", "DELETE /v1/privacy/erase"] as const) {
      const reply = await shop.call(key, "?respondentId=ann");
      expect([reply.status, reply.headers.has("retry-after")]).toEqual([503, true]);
      expect(await reply.text()).not.toContain("responses");
    }
    expect(erased).not.toHaveBeenCalled();
  });

  it("has no line of a start whose config file changes nothing, and names only what another one changes", async () => {
    const events: ServerEvent[] = [];
    const store = await openStore(":memory:");
    const start = (projects: object[]) =>
      createApp({
        store,
        clock,
        masterKey: new Uint8Array(32),
        config: { projects } as ServerConfig,
        events: { emit: (event) => void events.push(event) },
      });
    await start([project]);
    await start([project]);
    expect(events).toHaveLength(2);
    await using last = await start([{ ...project, surveys: [{ ...survey("s"), status: "active" }] }]);
    expect(last.projects).toHaveLength(1);
    const changed = { projects: [], keys: [], surveys: ["shop/s"] };
    expect(events.slice(2)).toMatchObject([
      { outcome: "started", changed },
      { outcome: "done", changed },
    ]);
  });

  it("says of an erasure that ended early that it failed", async () => {
    const file = join(folder, "failed.jsonl");
    await using shop = await open(file);
    shop.service.store.erase = () => Promise.reject(new Error("The connection was lost."));
    expect((await shop.call("DELETE /v1/privacy/erase", "?respondentId=ann")).status).toBe(500);
    const [, , begun, ended] = linesOf(file);
    expect([begun, ended]).toMatchObject([
      { what: "erase", outcome: "started" },
      { what: "erase", outcome: "failed", act: begun!.act },
    ]);
  });
});
