import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, inject, it } from "vitest";
import { canaries, leaksIn } from "../canaries.ts";
import { asOperator, freshPostgres } from "../conformance/postgres-database.ts";
import { ServerFolder, type ServerProgram, survey } from "./server-program.ts";

const config = {
  trustedProxies: 1,
  projects: [
    {
      id: "shop",
      name: "Shop",
      allowedOrigins: ["https://shop.example"],
      publishableKey: canaries.publishableKey,
      secretKey: canaries.secretKey,
      surveys: [{ ...survey, status: "active" }],
    },
  ],
};

/** Everything that anybody could read afterwards: bodies of refusals, log, metrics. */
class Ear {
  readonly heard: string[] = [];
  readonly statuses: number[] = [];
  readonly #server: ServerProgram;

  constructor(server: ServerProgram) {
    this.#server = server;
  }

  async send(path: string, init: RequestInit & { json?: unknown } = {}) {
    const { json, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (json !== undefined || rest.body) headers.set("content-type", "application/json");
    const body = json === undefined ? rest.body : JSON.stringify(json);
    const reply = await fetch(this.#server.url + path, { ...rest, headers, body });
    const text = await reply.text();
    this.statuses.push(reply.status);
    // What was granted may hold what was asked for; refusals and headers must not.
    if (!reply.ok) this.heard.push(text);
    this.heard.push(JSON.stringify([...reply.headers]));
    return { status: reply.status, json: () => JSON.parse(text) as Record<string, Record<string, string>> };
  }
}

const { publishableKey: key, secretKey: secret, respondentId: respondent, email, text } = canaries;
const { sessionId: session, taskType, trait } = canaries;
const authorization = `Bearer ${secret}`;

async function goodTraffic(ear: Ear): Promise<string[]> {
  const bootstrap = await ear.send("/v1/sdk/bootstrap", {
    method: "POST",
    json: { key, userId: respondent },
  });
  const unbound = bootstrap.json()["showTokens"]!["s"]!;
  await ear.send(`/v1/definitions?key=${key}&userId=${respondent}`);
  const mint = { respondentId: respondent, sessionId: session, taskType };
  const minted = await ear.send("/v1/sdk/tokens", { method: "POST", json: mint, headers: { authorization } });
  const bound = minted.json()["tokens"]!["s"]!;
  const answer = { key, surveyId: "s", rating: 4, text, traits: { plan: trait }, userId: respondent };
  for (const showToken of [bound, bound, unbound]) {
    await ear.send("/v1/sdk/responses", { method: "POST", json: { ...answer, showToken } });
  }
  await ear.send("/v1/dismissals", {
    method: "POST",
    json: { key, surveyId: "s", userId: respondent, showToken: bound },
  });
  await ear.send("/v1/sdk/pending-scores", { headers: { authorization } });
  await ear.send(`/v1/privacy/export?email=${encodeURIComponent(email)}&respondentId=${respondent}`, {
    headers: { authorization },
  });
  return [unbound, bound];
}

async function badTraffic(ear: Ear, token: string): Promise<void> {
  const post = (path: string, init: RequestInit & { json?: unknown }) =>
    ear.send(path, { method: "POST", ...init });
  const answer = { key, surveyId: "s", rating: 4, text, userId: respondent, showToken: token };
  await post("/v1/sdk/responses", { body: `{"key":"${key}","text":"${text}` });
  await post("/v1/sdk/responses", { body: text });
  await post("/v1/sdk/responses", { json: { ...answer, rating: text } });
  await post("/v1/sdk/responses", { json: { ...answer, surveyId: respondent } });
  await post("/v1/sdk/responses", { json: { ...answer, showToken: `${token}x`, sessionId: session } });
  await post("/v1/sdk/responses", { json: { ...answer, key: secret } });
  await post("/v1/sdk/responses", { json: { ...answer, traits: [trait] } });
  await post("/v1/sdk/responses", { json: answer, headers: { origin: "https://stranger.example" } });
  await post(`/v1/sdk/bootstrap?key=${key}&userId=${respondent}`, { json: { key, userId: email } });
  await post(`/v1/sdk/tokens`, { json: {}, headers: { authorization: `Bearer ${canaries.unknownKey}` } });
  await post(`/v1/sdk/tokens`, {
    json: { respondentId: email, sessionId: [session] },
    headers: { authorization },
  });
  await ear.send(`/v1/privacy/export?email=${respondent}&nonsense=${email}`, {
    headers: { authorization },
  });
  await ear.send(`/v1/sdk/pending-scores?cursor=${token}`, { headers: { authorization } });
  await ear.send(`/${secret}/${respondent}?email=${email}`);
  await ear.send(`/v1/sdk/responses?key=${secret}`);
}

/** What an audit line of a request has. */
interface AuditLine {
  who: string;
  details: { requestId: string; respondents: string[] };
}

/** An audit line per export, erase and key used: who and how much, never what. */
function expectAudits(log: string[]): void {
  const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
  const audits = lines.filter(({ event }) => event === "audit") as unknown as AuditLine[];
  expect(audits).toMatchObject([
    { what: "config", outcome: "started", details: { changed: { projects: ["shop"] } } },
    { what: "config", outcome: "done", details: { changed: { projects: ["shop"] } } },
    { what: "export", project: "shop", details: { isWholeProject: false, counts: { responses: 2 } } },
    { what: "erase", outcome: "started", project: "shop" },
    {
      what: "erase",
      outcome: "done",
      project: "shop",
      details: { counts: { responsesDeleted: 2, dismissalsDeleted: 0, suppressionRetained: 1 } },
    },
  ]);
  const [, , ...requests] = audits;
  for (const { who, details } of requests) {
    expect(who).toMatch(/^key_/);
    expect(details.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(details.respondents.every((hash) => /^[\w-]{22}$/.test(hash))).toBe(true);
  }
  // The same person has the same hash, so that an audit can be followed.
  expect(requests[0]!.details.respondents[0]).toBe(requests[1]!.details.respondents[0]);
  const keyUses = lines.filter(({ event }) => event === "key-use");
  expect(keyUses.map(({ keyId }) => keyId)).toContain(requests[0]!.who);
}

describe("whatever people and servers send", () => {
  it("is in no log, metric, header or refusal, but leaves audit lines of who did how much", async () => {
    using folder = new ServerFolder();
    writeFileSync(folder.file("config.json"), JSON.stringify(config));
    folder.environment = { AFTERWORD_MASTER_KEY: canaries.masterKey };
    const log = folder.file("erasures.jsonl");
    const flags = "--config config.json --db a.db --log-requests all --admin-port 0 --erasure-log";
    const server = await folder.serve(...flags.split(" "), log);
    const ear = new Ear(server);
    const tokens = await goodTraffic(ear);
    await badTraffic(ear, tokens[0]!);
    await ear.send(`/v1/privacy/erase?respondentId=${respondent}&email=${encodeURIComponent(email)}`, {
      method: "DELETE",
      headers: { authorization },
    });
    const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
    expect(await server.stop()).toBe(0);

    const readable = [...ear.heard, ...server.log, metrics, readFileSync(log, "utf8")].join("\n");
    expect(leaksIn(readable)).toEqual([]);
    expect(tokens.filter((token) => readable.includes(token))).toEqual([]);
    // All three were really read, and the traffic was what it was meant to be.
    for (const marker of ['"code":"token_used"', "afterword_requests_total", '"mode":"respondent"']) {
      expect(readable).toContain(marker);
    }
    expect(new Set(ear.statuses)).toEqual(new Set([200, 201, 400, 401, 403, 404, 405, 409]));
    expect(server.log.length).toBeGreaterThan(ear.statuses.length);
    for (const line of server.log) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expectAudits(server.log);
  });

  it("is in no log, even when the database disconnects", async () => {
    using folder = new ServerFolder();
    writeFileSync(folder.file("config.json"), JSON.stringify(config));
    const database = await freshPostgres(inject("postgresUrl"));
    const flags = "--config config.json --log-requests all --admin-port 0 --db";
    const server = await folder.serve(...flags.split(" "), database);
    const ear = new Ear(server);
    const tokens = await goodTraffic(ear);
    const name = new URL(database).pathname.slice(1);
    await asOperator(inject("postgresUrl"), (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    const showToken = tokens[1]!;
    const answer = {
      key,
      surveyId: "s",
      rating: 4,
      text,
      traits: { plan: trait },
      userId: respondent,
      showToken,
    };
    for (let time = 0; time < 3; time++) {
      await ear.send("/v1/sdk/responses", { method: "POST", json: answer });
      await ear.send(`/v1/privacy/erase?respondentId=${respondent}`, {
        method: "DELETE",
        headers: { authorization },
      });
    }
    const ready = await ear.send("/readyz");
    await server.stop();
    expect(ready.status).toBe(503);
    expect(ear.statuses.filter((status) => status >= 500).length).toBeGreaterThanOrEqual(6);
    const readable = [...ear.heard, ...server.log].join("\n");
    expect(leaksIn(readable)).toEqual([]);
    expect(tokens.filter((token) => readable.includes(token))).toEqual([]);
    expect(readable).toContain('"code":"unavailable"');
  });
});
