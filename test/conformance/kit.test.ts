import {
  ApiClient,
  exchange,
  type Exchange,
  runClauses,
  serverClauses,
  Service,
} from "@afterword/conformance";
import { type ServerConfig } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { type ApiWorld, type RunningApi } from "./api/api-world.ts";
import { allowedOrigin, kitConfig } from "./api/contract.suite.ts";
import { createMintKey, expiredTokenOf } from "./api/mint-key.ts";
import { keysOf } from "./api/projects.ts";
import { openSqliteWorld } from "./api/sqlite-world.ts";
import { accessFaults } from "./kit-faults/access-faults.ts";
import { requestFaults } from "./kit-faults/request-faults.ts";
import { stateFaults } from "./kit-faults/state-faults.ts";

const faults = [stateFaults, requestFaults, accessFaults]
  .flatMap((some) => Object.entries(some))
  .map(([name, broken]) => [...(name.split(": ") as [string, string]), broken] as const);
/** A rule of which many others make use fails their clauses, too. */
const mostThatFail = 14;
let world: ApiWorld;
let server: RunningApi;
let mintKey: string;
let runs = 0;

beforeAll(async () => {
  const config = kitConfig as ServerConfig;
  world = await openSqliteWorld();
  mintKey = await createMintKey(world, config);
  server = await world.start(config);
});
afterAll(async () => {
  await server.stop();
  await world.dispose();
});

const serviceThrough = (send: Exchange, expiredToken: string) =>
  new Service({
    baseUrl: server.baseUrl,
    keys: kitConfig.projects[0]!,
    secondKeys: kitConfig.projects[1]!,
    mintKey,
    expiredToken,
    allowedOrigin,
    isDisposable: true,
    wait: async (milliseconds) => world.clock.advance(milliseconds),
    exchange: send,
    runId: `conformance-${++runs}`,
  });

const clauseOf = (beginning: string) => {
  const found = serverClauses.filter(({ title }) => title.startsWith(beginning));
  expect(found, `clauses that begin with "${beginning}"`).toHaveLength(1);
  return found[0]!;
};

describe("the kit", () => {
  it("says of a reply in another form which one it is, and what was wanted of it", async () => {
    const service = serviceThrough(async (request) => {
      const reply = await exchange(request);
      return request.target.includes("pending-scores") ? { ...reply, text: '{"items":[]}' } : reply;
    }, "");
    const clauses = serverClauses.filter(({ section }) => section === "4.5");
    const details = (await runClauses({ clauses, subject: service })).map(({ detail }) => detail);
    expect(details).toContainEqual(
      expect.stringMatching(
        /^GET \/v1\/sdk\/pending-scores replied 200 \{"items":\[\]\}: not in the form of the contract \(.+\)$/,
      ),
    );
    expect(details.join("\n")).not.toMatch(/^[^(]*(is not iterable|Cannot read properties)/m);
  });

  it("has a fault for each clause but two, which erase", () => {
    expect(serverClauses.length - new Set(faults.map(([fails]) => clauseOf(fails))).size).toBe(2);
  });

  // A quick run takes one fault of ten, and the clauses of its own section alone.
  const tried = faults.filter((_, index) => isFullProof || index % 10 === 0);
  it.each(tried)("fails where %s: %s", { timeout: 120_000 }, async (fails, _wrong, broken) => {
    // What an earlier fault has left in the queue would hide the next one.
    for (const { id } of kitConfig.projects)
      await new ApiClient(server.baseUrl, keysOf(id)).erase({ account: "true" });
    const expiredToken = await expiredTokenOf(server, world, kitConfig.projects[0]!.publishableKey);
    const clause = clauseOf(fails);
    const clauses = isFullProof
      ? serverClauses
      : serverClauses.filter(({ section }) => section === clause.section);
    const results = await runClauses({ clauses, subject: serviceThrough(broken(exchange), expiredToken) });
    const failed = results.filter(({ outcome }) => outcome === "failed");
    expect(failed.map(({ title }) => title)).toContain(clause.title);
    expect(failed.slice(mostThatFail).map(({ title, detail }) => `${title}: ${detail}`)).toEqual([]);
  });
});
