import { type ChildServer } from "./child-server.ts";
import { assertAnswered, requestBytes, runLoad, type LoadResult } from "./load.ts";
import {
  bestRun,
  compared,
  connections,
  each,
  inTurns,
  repeat,
  withEcho,
  type Comparison,
} from "./measure.ts";

type Json = Record<string, unknown>;

async function askJson(
  server: ChildServer,
  method: string,
  path: string,
  body: unknown,
  headers = {},
): Promise<Json> {
  const response = await fetch(server.ready.url + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Json;
}

interface Subject {
  name: string;
  path: string;
  body: unknown;
  /** Reply of one call, so that the echo can be as large. */
  reply: unknown;
  headers?: Record<string, string>;
  requests: number;
}

async function compare(server: ChildServer, subject: Subject): Promise<Comparison> {
  const { name, path, body, reply, headers, requests } = subject;
  const bytes = requestBytes("POST", path, body, headers);
  const load = async () => {
    const run = await runLoad({ server, connections, requests, next: repeat(bytes) });
    assertAnswered(run, "200");
    return run;
  };
  return withEcho({ body, reply, requests }, async (echo) => {
    const [measured, echoed] = await inTurns(load, echo);
    return compared(name, measured!, echoed!);
  });
}

export async function benchBootstrap(server: ChildServer, requests: number): Promise<Comparison> {
  const body = { key: server.ready.projects[0]!.publishableKey, userId: "respondent-0123456789" };
  const reply = await askJson(server, "POST", "/v1/sdk/bootstrap", body);
  return compare(server, { name: "bootstrap, 3 surveys", path: "/v1/sdk/bootstrap", body, reply, requests });
}

export async function benchMint(server: ChildServer, requests: number): Promise<Comparison> {
  const headers = { "X-Service-Key": server.ready.projects[0]!.secretKey! };
  const body = {
    respondentId: "respondent-0123456789",
    sessionId: "session-0123456789abcdef",
    surveyId: "s0",
  };
  const reply = await askJson(server, "POST", "/v1/sdk/tokens", body, headers);
  return compare(server, { name: "mint, 1 survey", path: "/v1/sdk/tokens", body, reply, headers, requests });
}

/** As many unused session-bound tokens as asked for, from the project with many surveys. */
export async function mintMany(
  server: ChildServer,
  count: number,
): Promise<[surveyId: string, token: string][]> {
  const headers = { "X-Service-Key": server.ready.projects[1]!.secretKey! };
  const tokens: [string, string][] = [];
  for (let person = 0; tokens.length < count; person++) {
    const body = {
      respondentId: `respondent-${process.hrtime.bigint()}-${person}`,
      sessionId: `session-${person}`,
    };
    const minted = await askJson(server, "POST", "/v1/sdk/tokens", body, headers);
    tokens.push(...Object.entries(minted["tokens"] as Record<string, string>));
  }
  return tokens.slice(0, count);
}

async function submitRequests(server: ChildServer, count: number) {
  const key = server.ready.projects[1]!.publishableKey;
  const tokens = await mintMany(server, count);
  const bodies = tokens.map(([surveyId, showToken]) => ({
    key,
    showToken,
    surveyId,
    rating: 9,
    text: "It did what I asked.",
  }));
  return { body: bodies[0], prepared: bodies.map((body) => requestBytes("POST", "/v1/sdk/responses", body)) };
}

export interface SubmitComparison extends Comparison {
  /** Beside the same server with one commit per request, and a server that does nothing but commit one row. */
  besideCommits: Record<"measured" | "singleCommit" | "bareCommit", LoadResult>;
}

export interface SubmitServers {
  server: ChildServer;
  singleCommit: ChildServer;
  bareCommit: ChildServer;
}

export async function submitRun(server: ChildServer, requests: number): Promise<LoadResult> {
  const { prepared } = await submitRequests(server, requests);
  const run = await runLoad({ server, connections, requests, next: each(prepared) });
  assertAnswered(run, "201");
  return run;
}

/** Every request spends a token of its own and is on disk when it is answered. */
export async function benchSubmit(
  { server, singleCommit, bareCommit }: SubmitServers,
  requests: number,
): Promise<SubmitComparison> {
  const reply = { ok: true, id: "01a1fd07-abb0-7abb-bd89-58e24f36dbae", at: "2026-01-01T00:00:00.000Z" };
  const { body } = await submitRequests(server, 1);
  const plain = requestBytes("POST", "/echo", body);
  const submit = () => submitRun(server, requests);
  const beside = await withEcho({ body, reply, requests }, async (echo) => {
    const [measured, echoed] = await inTurns(submit, echo);
    return compared("submit, durable", measured!, echoed!);
  });
  // Apart from the echo: the disk is busy for a while after thousands of flushes, and the echo has none.
  const [measured, single, bare] = await inTurns(
    submit,
    () => submitRun(singleCommit, requests),
    () => runLoad({ server: bareCommit, connections, requests, next: repeat(plain) }),
  );
  const besideCommits = {
    measured: bestRun(measured!),
    singleCommit: bestRun(single!),
    bareCommit: bestRun(bare!),
  };
  return { ...beside, besideCommits };
}
