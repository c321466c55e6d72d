import { describe, expect, it } from "vitest";
import { StoreUnavailable } from "@afterword/reference-server/internal";
import { createApp } from "../program/create-app.ts";
import { type ErasureEntry, type ErasureLog } from "./erasure-log.ts";
import { operatedService } from "../administration/operated-service.ts";
import { openStore } from "../postgres/open-store.ts";
import { survey } from "../commands/afterword-server.fixture.ts";
import { shopKeys } from "../commands/shop.fixture.ts";
import { reapplyErasures } from "../administration/reapply-erasures.ts";

const now = Date.parse("2026-03-01T12:00:00.000Z");
interface Body {
  count: number;
  tokens: { s: string };
}

const { publishable: publishableKey, secret: secretKey } = shopKeys;

async function world(erasureLog: ErasureLog) {
  const store = await openStore(":memory:");
  const surveys = [{ ...survey("s"), status: "active" }];
  const shop = { id: "shop", name: "Shop", allowedOrigins: ["*"], publishableKey, secretKey, surveys };
  const { app, service: core } = await createApp({
    store,
    config: { projects: [shop] } as never,
    clock: { now: () => now },
    masterKey: new Uint8Array(32),
    erasureLog,
  });
  const service = operatedService(core, store);
  const call = async (method: string, path: string, body?: object) => {
    const headers = { "x-service-key": secretKey, "content-type": "application/json" };
    const reply = await app.request(path, { method, headers, body: body && JSON.stringify(body) });
    return { status: reply.status, body: (await reply.json()) as Body };
  };
  const answer = async (respondentId: string) => {
    const minted = await call("POST", "/v1/sdk/tokens", { respondentId, sessionId: "run" });
    const showToken = minted.body.tokens.s;
    await call("POST", "/v1/sdk/responses", { key: publishableKey, showToken, surveyId: "s", rating: 4 });
  };
  const count = async () => (await call("GET", "/v1/privacy/export")).body.count;
  return { service, call, answer, count, [Symbol.asyncDispose]: () => store.close() };
}

function memoryLog() {
  const entries: ErasureEntry[] = [];
  return { entries, append: async (entry: ErasureEntry) => void entries.push(entry) };
}

describe("an erasure", () => {
  it("is remembered before it happens, with the hash of the person and nothing else of them", async () => {
    const log = memoryLog();
    await using shop = await world(log);
    await shop.answer("ada");
    await shop.call("DELETE", "/v1/privacy/erase?respondentId=ada&surveySlug=s");
    expect(log.entries).toEqual([
      {
        at: "2026-03-01T12:00:00.000Z",
        projectId: "shop",
        mode: "respondent",
        respondents: [expect.stringMatching(/^[\w-]{43}$/)],
        surveyIds: ["s"],
      },
    ]);
  });

  it("does not happen when it cannot be remembered: 503, and everything is still there", async () => {
    await using shop = await world({ append: () => Promise.reject(new StoreUnavailable("the log is full")) });
    await shop.answer("ada");
    const refused = await shop.call("DELETE", "/v1/privacy/erase?respondentId=ada");
    expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect((await shop.call("DELETE", "/v1/privacy/erase?account=true")).status).toBe(503);
    expect(await shop.count()).toBe(1);
  });

  it("that is refused is not remembered", async () => {
    const log = memoryLog();
    await using shop = await world(log);
    await shop.call("DELETE", "/v1/privacy/erase");
    await shop.call("DELETE", "/v1/privacy/erase?surveySlug=nothing");
    expect(log.entries).toEqual([]);
  });

  it("has another hash than suppression, and another one in another project's pepper", async () => {
    const log = memoryLog();
    await using shop = await world(log);
    await shop.call("DELETE", "/v1/privacy/erase?respondentId=ada");
    await shop.call("DELETE", "/v1/privacy/erase?account=true");
    await shop.call("DELETE", "/v1/privacy/erase?respondentId=ada");
    const hashes = log.entries.flatMap(({ respondents }) => respondents ?? []);
    // The purge in between has destroyed the pepper.
    expect(new Set(hashes).size).toBe(2);
  });
});

describe("erasures that are applied again", () => {
  it("pass over projects that the database does not have, and say so", async () => {
    await using shop = await world(memoryLog());
    const entry: ErasureEntry = {
      at: "2026-03-01T12:00:00.000Z",
      projectId: "gone",
      mode: "account",
      epoch: 2,
    };
    expect(await reapplyErasures(shop.service, [entry])).toMatchObject({ erasures: 0, skipped: 1 });
  });

  it("do not purge a second time what was purged before the backup", async () => {
    const log = memoryLog();
    await using shop = await world(log);
    await shop.call("DELETE", "/v1/privacy/erase?account=true");
    await shop.answer("ada");
    expect(await reapplyErasures(shop.service, log.entries)).toMatchObject({
      erasures: 1,
      responsesDeleted: 0,
    });
    expect(await shop.count()).toBe(1);
  });

  it("go with what was stored up to a minute later, since clocks of nodes differ", async () => {
    const log = memoryLog();
    await using shop = await world(log);
    await shop.answer("ada");
    await shop.call("DELETE", "/v1/privacy/erase?surveySlug=s");
    const [entry] = log.entries;
    await shop.answer("bob");
    const early = { ...entry!, at: new Date(now - 61_000).toISOString() };
    expect(await reapplyErasures(shop.service, [early])).toMatchObject({ responsesDeleted: 0 });
    const justBefore = { ...entry!, at: new Date(now - 59_000).toISOString() };
    expect(await reapplyErasures(shop.service, [justBefore])).toMatchObject({ responsesDeleted: 1 });
  });
});
