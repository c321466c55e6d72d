import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ApiClient, type Reply } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { asOperator, freshPostgres } from "../conformance/postgres-database.ts";
import { endIdleNodes } from "./node-process.ts";
import { proofScale } from "./proof-scale.ts";
import { RoundRobin } from "./round-robin.ts";
import { ServerNodes } from "./server-nodes.ts";

// What a client may rely on when nodes die in the middle of its requests: repeated until a node answers, every
// answer is stored once, and what was acknowledged stays.

const nodeCount = 3;
const writers = 8;
const requestsPerKill = 40;
const kills = proofScale({ quick: 4, full: 200 });
const racers = 16;
const racedTokens = proofScale({ quick: 5, full: 2000 });

let database: string;
let proxy: RoundRobin;
let nodes: ServerNodes;
let client: ApiClient;

beforeAll(async () => {
  database = await freshPostgres(inject("postgresUrl"));
  proxy = await RoundRobin.open();
  nodes = await ServerNodes.start(
    { database, config: { rateLimits: false, projects: [project("p")] } },
    proxy,
    nodeCount,
  );
  client = new ApiClient(proxy.url, keysOf("p"));
});

afterAll(async () => {
  await nodes.stop();
  await proxy.close();
  endIdleNodes();
});

/** Repeats a request until a node answers it; after 502 and 503 the outcome is unknown. */
async function insist(ask: () => Promise<Reply>): Promise<Reply & { attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const reply = await ask().catch(() => undefined);
    if (reply && reply.status !== 502 && reply.status !== 503) return { ...reply, attempts };
  }
}

async function tokenFor(person: string): Promise<string> {
  const { json } = await insist(() => client.mint({ respondentId: person, surveyId: "p-nps" }));
  return json.tokens["p-nps"];
}

/** What is stored, past every server. */
async function storedIds(): Promise<string[]> {
  const { rows } = await asOperator(database, (operator) =>
    operator.query<{ id: string }>("SELECT id FROM responses"),
  );
  return rows.map(({ id }) => id);
}

/** A node stored the answer and died before it could say so: asked again, another one tells what is there. */
function idOfEarlierAttempt({ status, json, attempts }: Reply & { attempts: number }): string {
  if (status === 409 && attempts > 1 && json.existing.kind === "response") return json.existing.id;
  throw new Error(
    `A token that was used once is answered with ${status} ${json?.code} at attempt ${attempts}.`,
  );
}

/** Answers surveys until the kills end; returns the ids that the service acknowledged. */
async function write(writer: number, isOver: () => boolean): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let count = 0; !isOver(); count++) {
    const showToken = await tokenFor(`${writer}/${count}`);
    const reply = await insist(() => client.submit({ showToken, surveyId: "p-nps", rating: count % 11 }));
    acknowledged.push(reply.status === 201 ? reply.json.id : idOfEarlierAttempt(reply));
  }
  return acknowledged;
}

describe("three nodes that are killed in the middle of requests", () => {
  it(
    `lose no acknowledged answer and store none twice, ${kills} kills long`,
    { timeout: 1_800_000 },
    async () => {
      let isOver = false;
      const writing = Array.from({ length: writers }, (_, writer) => write(writer, () => isOver));
      for (let kill = 0; kill < kills; kill++) {
        await proxy.afterRequests(requestsPerKill);
        await nodes.killAndReplace(kill % nodeCount);
      }
      isOver = true;
      const acknowledged = (await Promise.all(writing)).flat();
      const stored = await storedIds();
      expect(new Set(acknowledged).size).toBe(acknowledged.length);
      expect(stored.toSorted()).toEqual(acknowledged.toSorted());
      expect(nodes.kills).toBe(kills);
    },
  );

  it("hand out every stored answer to forwarders, and count each acknowledgement once", async () => {
    const before = new Set(await storedIds());
    const drain = async () => {
      let updated = 0;
      for (;;) {
        const { json } = await insist(() => client.pending({ limit: "100" }));
        if (json.scores.length === 0) return updated;
        const results = json.scores.map(({ id }: { id: string }) => ({ id, state: "delivered" }));
        for (const { id } of json.scores) before.delete(id);
        updated += (await insist(() => client.ack(results))).json.updated;
      }
    };
    const total = before.size;
    const updated = await Promise.all([drain(), drain()]);
    expect(before.size).toBe(0);
    expect(updated[0]! + updated[1]!).toBe(total);
  });
});

describe("one token at three nodes at once", () => {
  it(
    `is spent once, ${racedTokens} tokens long, by answers and dismissals over every path`,
    { timeout: 1_800_000 },
    async () => {
      const key = client.keys.publishableKey;
      for (let round = 0; round < racedTokens; round++) {
        const userId = `racer-${round}`;
        const showToken = await tokenFor(userId);
        const body = { key, showToken, surveyId: "p-nps", rating: 3, userId };
        const paths = ["/v1/sdk/responses", "/v1/responses", "/v1/dismissals"];
        const uses = Array.from({ length: racers }, (_, index) =>
          client.call("POST", paths[index % 3]!, { body }),
        );
        const replies = await Promise.all(uses);
        const answers = replies.filter((_, index) => index % 3 !== 2);
        const dismissals = replies.filter((_, index) => index % 3 === 2);
        const stored = new Set(replies.filter(({ status }) => status === 201).map(({ json }) => json.id));
        expect(stored.size).toBe(1);
        const winners = answers.filter(({ status }) => status === 201).length;
        expect(winners).toBeLessThanOrEqual(1);
        expect(answers.filter(({ status }) => status === 409)).toHaveLength(answers.length - winners);
        // A dismissal that came again is answered as the first one was; after an answer it is refused.
        expect(new Set(dismissals.map(({ status }) => status))).toEqual(new Set([winners === 1 ? 401 : 201]));
      }
      const count = `
      SELECT count(*)::integer AS tokens, count(DISTINCT record_id)::integer AS records FROM spent_tokens
      WHERE record_id IN (SELECT id FROM responses UNION ALL SELECT id FROM dismissals)`;
      const { rows } = await asOperator(database, (operator) => operator.query(count));
      const ledger = await asOperator(database, (operator) =>
        operator.query("SELECT count(*)::integer AS tokens FROM spent_tokens"),
      );
      expect(rows[0].tokens).toBe(ledger.rows[0].tokens);
      expect(rows[0].records).toBe(rows[0].tokens);
    },
  );
});
