import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ApiClient, type Reply } from "@afterword/conformance";
import { keysOf } from "../conformance/api/projects.ts";
import { NodeProcess } from "./node-process.ts";
import type { Measures } from "./node-program.ts";
import { isFullProof } from "./proof-scale.ts";
import { sqliteNode } from "./sqlite-node.ts";

// What is never given back is seen only after many requests: the same mix again and again, and the process must hold no
// more after the last round than after the first ones.

const rounds = 60;
const peoplePerRound = 60;
const workers = 8;
/** Stops and starts the server within its process: what a closed server holds is a leak too. */
const roundsPerStart = 3;
const mebibyte = 1024 * 1024;

const order = sqliteNode("soak");
const { database } = order;

/** Everything that one person and the customer's server do, and some of what they should not. */
async function liveOneLife(client: ApiClient, person: string): Promise<Reply[]> {
  const bootstrap = await client.bootstrap(person);
  const { tokens } = (await client.mint({ respondentId: person })).json;
  const answer = { showToken: tokens.a, surveyId: "a", rating: 7, text: `words of ${person} `.repeat(50) };
  const answered = await client.submit(answer);
  return [
    bootstrap,
    answered,
    await client.submit(answer),
    await client.dismiss({ showToken: tokens.b, surveyId: "b", userId: person }),
    await client.submit({ ...answer, showToken: "st1.nonsense" }),
    await client.call("POST", "/v1/sdk/responses", { body: "{" }),
    await client.call("GET", `/nowhere/${person}`),
    await client.pending({ limit: "5" }),
    await client.ack([{ id: answered.json.id, state: "delivered" }]),
    await client.export({ respondentId: person }),
    await client.erase({ respondentId: person }),
  ];
}

/** How often which status was answered. */
async function soak(url: string, round: number): Promise<Map<number, number>> {
  const client = new ApiClient(url, keysOf("p"));
  const statuses = new Map<number, number>();
  const waiting = Array.from({ length: peoplePerRound }, (_, index) => `person-${round}-${index}`);
  const work = async () => {
    for (let person = waiting.pop(); person !== undefined; person = waiting.pop()) {
      for (const { status } of await liveOneLife(client, person))
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  // What suppression keeps would grow the file.
  await client.erase({ account: "true" });
  return statuses;
}

const median = (values: number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

/** The medians of a value in each third of the rounds. */
function thirds(measures: Measures[], key: keyof Measures): [number, number, number] {
  const third = measures.length / 3;
  const of = (part: number) =>
    median(measures.slice(part * third, (part + 1) * third).map((one) => one[key]));
  return [of(0), of(1), of(2)];
}

/** By how much a value grew at last: in the first third the engine takes the memory that it works in. */
function growth(measures: Measures[], key: keyof Measures): number {
  const [, before, after] = thirds(measures, key);
  return after - before;
}

describe("a server that goes on and on", () => {
  it.runIf(isFullProof)(
    `holds no more memory and no more files after ${rounds} rounds than at first, and never fails`,
    async () => {
      let node = await NodeProcess.start(order);
      // Compiles, fills pools and caches.
      for (let round = -3; round < 0; round++) await soak(node.url, round);
      const measures: Measures[] = [];
      const sum = new Map<number, number>();
      for (let round = 0; round < rounds; round++) {
        for (const [status, count] of await soak(node.url, round))
          sum.set(status, (sum.get(status) ?? 0) + count);
        measures.push(await node.measure());
        expect(statSync(`${database}-wal`).size).toBeLessThan(64 * mebibyte);
        if (round % roundsPerStart !== roundsPerStart - 1) continue;
        await node.stop();
        node = await NodeProcess.start(order);
      }
      await node.stop();
      const lives = rounds * peoplePerRound;
      expect(Object.fromEntries(sum)).toEqual({
        200: 5 * lives,
        201: 2 * lives,
        400: lives,
        401: lives,
        404: lives,
        409: lives,
      });
      const grown = {
        heap: growth(measures, "heapInBytes") / mebibyte,
        memory: growth(measures, "memoryInBytes") / mebibyte,
        files: growth(measures, "openFiles"),
        resources: growth(measures, "resources"),
      };
      console.log(grown, thirds(measures, "memoryInBytes"), measures.at(-1), `${lives * 12} requests`);
      expect(grown.heap).toBeLessThan(2);
      expect(grown.memory).toBeLessThan(30);
      // Connections of the clients come and go.
      expect(grown.files).toBeLessThanOrEqual(workers);
      expect(grown.resources).toBeLessThanOrEqual(1);
    },
    60_000 + rounds * 20_000,
  );
});
