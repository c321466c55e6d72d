import { openStore, startServer, type RunningServer, type Store } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ApiClient } from "./api/api-client.ts";
import { keysOf, project } from "./api/projects.ts";
import { testClock } from "./api/test-clock.ts";
import { asOperator, freshPostgres } from "./postgres-database.ts";
import { noon } from "./store-world.ts";

describe("quotas in the database", () => {
  let database: string;
  let store: Store;
  const block = (key: string, permits = 5, since = noon) => ({
    key,
    permits,
    intervalInMs: 100,
    toleranceInMs: 2000,
    since,
  });

  beforeAll(async () => {
    database = await freshPostgres(inject("postgresUrl"));
    store = await openStore(database);
  });
  afterAll(() => store.close());

  it("add up what all nodes take, each subject for itself", async () => {
    const quotas = store.sharedQuotas!;
    expect(await quotas.take([block("a")])).toEqual([noon + 500]);
    expect(await quotas.take([block("b", 1), block("a", 2)])).toEqual([noon + 100, noon + 700]);
  });

  it("come back with time, and never to more than whole", async () => {
    const quotas = store.sharedQuotas!;
    await quotas.take([block("c", 10)]);
    expect(await quotas.take([block("c", 1, noon + 400)])).toEqual([noon + 1100]);
    expect(await quotas.take([block("c", 1, noon + 60_000)])).toEqual([noon + 60_100]);
  });

  it("do not keep anybody out because another node's clock is ahead", async () => {
    const quotas = store.sharedQuotas!;
    await quotas.take([block("d", 5, noon + 3_600_000)]);
    expect(await quotas.take([block("d", 1)])).toEqual([noon + 2000 + 100]);
  });

  it("lose nothing when many nodes take from the same ones at once", async () => {
    const quotas = store.sharedQuotas!;
    await quotas.take([block("e", 0), block("f", 0)]);
    const takes = Array.from({ length: 40 }, (_, index) =>
      quotas.take(index % 2 ? [block("e"), block("f")] : [block("f"), block("e")]),
    );
    await Promise.all(takes);
    expect(await quotas.take([block("e", 0), block("f", 0)])).toEqual(
      [noon + 20_000, noon + 20_000].map((at) => Math.min(at, noon + 2000)),
    );
  });

  it("are dropped when they have long been whole", async () => {
    const quotas = store.sharedQuotas!;
    await quotas.take([block("old", 1, noon - 100_000)]);
    await quotas.forget(noon - 60_000);
    const { rows } = await asOperator(database, (client) =>
      client.query("SELECT key FROM quotas WHERE key = 'old'"),
    );
    expect(rows).toEqual([]);
  });
});

describe("the limits of three nodes", () => {
  const nodes: RunningServer[] = [];
  const clock = testClock();
  let database: string;

  beforeAll(async () => {
    database = await freshPostgres(inject("postgresUrl"));
    const config = {
      rateLimits: { mint: { perMinute: 100 }, public: { perMinute: 600, burst: 40 } },
      trustedProxies: 1,
      projects: [project("plain")],
    };
    for (let count = 0; count < 3; count++) nodes.push(await startServer({ config, database, clock }));
  });
  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  const clients = () => nodes.map(({ url }) => new ApiClient(url, keysOf("plain")));

  it("are one quota in all, give or take a tenth of a burst for each node", async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 60; round++) {
      for (const client of clients()) statuses.push((await client.mint({ respondentId: "r" })).status);
    }
    const allowed = statuses.filter((status) => status === 200).length;
    expect(allowed).toBeGreaterThanOrEqual(100);
    expect(allowed).toBeLessThanOrEqual(130);
    expect(statuses.slice(-3)).toEqual([429, 429, 429]);
  });

  it("keep no address in the database: hashes alone", async () => {
    const headers = { "x-forwarded-for": "192.0.2.77" };
    for (let count = 0; count < 30; count++) await clients()[0]!.bootstrap(undefined, { headers });
    const { rows } = await asOperator(database, (client) =>
      client.query<{ key: string }>("SELECT key FROM quotas"),
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ key }) => !/^[\w-]{43}$/.test(key))).toEqual([]);
  });
});
