import { dayInMs } from "@afterword/protocol/duration";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { survey } from "../commands/afterword-server.fixture.ts";
import { createApp, dayOf, type RunCount, type RunCountKind } from "@afterword/reference-server/internal";
import { operatedService } from "../administration/operated-service.ts";
import { openStore } from "../postgres/open-store.ts";
import { examineSampling } from "./examine-sampling.ts";

const now = Date.parse("2026-03-31T12:00:00.000Z");
const failed = [{ trait: "outcome", op: "eq", value: "failed" }] as const;
const long = [{ trait: "steps", op: "gte", value: 50 }] as const;
const sampling = {
  probability: 0.05,
  strata: [
    { name: "failed", when: [...failed], probability: 0.5 },
    { name: "long", when: [...long], probability: 1 },
  ],
};

/** Counts of a day by stratum. */
type Counts = [daysAgo: number, stratum: string, kind: RunCountKind, count: number][];

/** A service with one active survey that samples, and counts of its runs. */
async function serviceWith(counts: Counts) {
  const folder = mkdtempDisposableSync(join(tmpdir(), "afterword-"));
  const store = await openStore(join(folder.path, "afterword.db"));
  const surveys = [{ ...survey("csat"), id: "csat", status: "active", sampling }];
  const config = { projects: [{ id: "shop", name: "Shop", allowedOrigins: ["*"], surveys }] } as never;
  const { service: core } = await createApp({
    store,
    config,
    clock: { now: () => now },
    masterKey: new Uint8Array(32),
  });
  const rows = counts.map(([daysAgo, stratum, kind, count]): RunCount => {
    const day = dayOf(now) - daysAgo * dayInMs;
    return { projectId: "shop", surveyId: "csat", day, version: "", stratum, kind, reason: "", count };
  });
  await store.addRunCounts(rows);
  return {
    service: operatedService(core, store),
    async [Symbol.asyncDispose]() {
      await store.close();
      folder.remove();
    },
  };
}

const earlier: Counts = [[31, "", "run", 1]];
/** One in ten sampled runs is answered. */
const traffic = (failed: number, long: number, other: number): Counts => [
  ...earlier,
  [5, "failed", "run", failed],
  [4, "long", "run", long],
  [3, "", "run", other],
  [3, "", "notSampled", failed + long + other - 1000],
  [2, "", "answered", 100],
];

const name = "sampling of shop/csat";

describe("the sampling of an active survey", () => {
  it("is good when each class of runs gives at least 30 answers a month", async () => {
    await using world = await serviceWith(traffic(600, 300, 6000));
    expect(await examineSampling(world.service)).toEqual([{ name, isGood: true, found: "enough answers" }]);
  });

  it("is not judged before runs were counted for 30 days", async () => {
    await using world = await serviceWith([[29, "", "run", 1]]);
    const found = "runs were counted for fewer than 30 days";
    expect(await examineSampling(world.service)).toEqual([{ name, isGood: true, found }]);
  });

  it("needs strata that match runs", async () => {
    await using world = await serviceWith(traffic(600, 0, 6000));
    expect(await examineSampling(world.service)).toEqual([
      {
        name,
        isGood: false,
        found: 'stratum "long": matched no run in the last 30 days',
        advice: "Compare its rules with the facts that the mints send, or remove it.",
      },
    ]);
  });

  it("needs probabilities that give at least 30 answers a month, where a higher one would give more", async () => {
    await using world = await serviceWith(traffic(200, 10, 4000));
    expect(await examineSampling(world.service)).toEqual([
      {
        name,
        isGood: false,
        found: 'stratum "failed": about 10 answers a month, of 200 runs in the last 30 days',
        advice: "A probability of 1 would give about 20.",
      },
      {
        name,
        isGood: false,
        found: "other runs: about 20 answers a month, of 4000 runs in the last 30 days",
        advice: "A probability of 0.08 would give about 30.",
      },
    ]);
  });
});
