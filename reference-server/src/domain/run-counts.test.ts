import { beforeEach, describe, expect, it } from "vitest";
import { type RunCount } from "../store/store.ts";
import { RunCounts } from "./run-counts.ts";

const dayInMs = 24 * 3_600_000;
const midnight = Date.UTC(2026, 10, 21);
const ofPlain = { projectId: "shop", surveyId: "plain", kind: "run" } as const;

let now: number;
let isAway: boolean;
let stored: RunCount[];
let counts: RunCounts;

beforeEach(() => {
  [now, isAway, stored] = [midnight + dayInMs - 1, false, []];
  counts = new RunCounts({ now: () => now });
});

const store = {
  async addRunCounts(added: readonly RunCount[]) {
    if (isAway) throw new Error("the database is away");
    stored.push(...added);
  },
};

describe("counts of runs in memory", () => {
  it("are added up by day in UTC, and stored once", async () => {
    counts.count({ ...ofPlain, version: "2.4" });
    counts.count({ ...ofPlain, version: "2.4" });
    now += 1;
    counts.count({ ...ofPlain, version: "2.4" });
    await counts.flush(store);
    await counts.flush(store);
    const row = { ...ofPlain, version: "2.4", stratum: "", reason: "" };
    expect(stored).toEqual([
      { ...row, day: midnight, count: 2 },
      { ...row, day: midnight + dayInMs, count: 1 },
    ]);
  });

  it("stay while the database is away, and are stored with what came meanwhile", async () => {
    counts.count(ofPlain);
    isAway = true;
    const failed = counts.flush(store);
    counts.count(ofPlain);
    await expect(failed).rejects.toThrow("away");
    isAway = false;
    await counts.flush(store);
    expect(stored).toMatchObject([{ count: 2 }]);
  });

  it("go with a purge, also those that are about to be stored meanwhile", async () => {
    const [storing, purging] = [Promise.withResolvers<void>(), [] as string[]];
    const slow = { addRunCounts: () => storing.promise };
    counts.count(ofPlain);
    const failed = counts.flush(slow).catch(() => purging.push("not stored"));
    counts.count({ ...ofPlain, surveyId: "other" });
    const forgotten = counts.forget("shop", ["plain"]).then(() => purging.push("forgotten"));
    storing.reject(new Error("the database is away"));
    await Promise.all([failed, forgotten]);
    expect(purging).toEqual(["not stored", "forgotten"]);
    await counts.flush(store);
    expect(stored).toMatchObject([{ surveyId: "other" }]);
  });

  it("are at most 10,000 different ones while the database is away; those go on counting", async () => {
    for (let version = 0; version <= 10_000; version++) counts.count({ ...ofPlain, version: `${version}` });
    counts.count({ ...ofPlain, version: "0" });
    await counts.flush(store);
    expect(stored).toHaveLength(10_000);
    expect(stored[0]).toMatchObject({ version: "0", count: 2 });
  });

  it("recognise the last 100,000 runs and tokens", () => {
    for (let run = 0; run < 100_000; run++) expect(counts.isNew(`${run}`)).toBe(true);
    expect([counts.isNew("0"), counts.isNew("99999")]).toEqual([false, false]);
    expect(counts.isNew("100000")).toBe(true);
    expect([counts.isNew("0"), counts.isNew("2")]).toEqual([true, false]);
  });
});
