import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AfterwordServer, noon } from "./afterword-server.fixture.ts";
import { type SeedResponse } from "@afterword/reference-server/internal";
import { Shop } from "./shop.fixture.ts";

const dayInMs = 86_400_000;

/** A database that a server works on; version 2.4 has answers from noon on, 2.3 the day before. */
class Watched implements AsyncDisposable {
  readonly server = new AfterwordServer();
  now = noon;
  shop!: Shop;

  static async open(before: readonly number[], after: readonly number[]): Promise<Watched> {
    const world = new Watched();
    world.shop = await Shop.open({ database: world.server.database, clock: { now: () => world.now } });
    await world.answer(noon - dayInMs, before, "old", { version: "2.3" });
    await world.answer(noon, after, "new", { version: "2.4" });
    return world;
  }

  /** An answer of each of as many people. */
  async answer(
    now: number,
    ratings: readonly number[],
    people: string,
    run?: SeedResponse["run"],
  ): Promise<void> {
    this.now = now;
    const answers = ratings.map((rating, index) => ({ respondentId: `${people}-${index}`, rating, run }));
    await this.shop.server.seed(
      "shop",
      answers.map((answer) => ({ ...answer, survey: "satisfaction" })),
    );
  }

  run(flags = "", command = "watch --project shop --survey satisfaction") {
    return this.server.run(`${command}${flags}`, { now: this.now });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shop[Symbol.asyncDispose]();
    this.server[Symbol.dispose]();
  }
}

const good = Array.from({ length: 50 }, (_, index) => (index % 10 === 9 ? 1 : 5));
const poor = Array.from({ length: 30 }, (_, index) => (index % 10 === 9 ? 5 : 1));

interface Printed {
  version: string | null;
  from: string;
  baseline: { people: number; value: number; low: number };
  score: { people: number; value: number | null; low: number; high: number };
  isDropped: boolean;
}

describe("watch", () => {
  it("says that the newest version is worse than those before, since when, and ends with code 6", async () => {
    await using world = await Watched.open(good, poor);
    const { code, out } = await world.run();
    expect(code).toBe(6);
    expect(out.split("\n")).toEqual([
      "satisfaction of shop, version 2.4, since 2026-03-01 12:00 UTC",
      "ANSWERS  PEOPLE  CSAT    95 % INTERVAL",
      expect.stringMatching(/^before {3}50 {6}90\.0 % {2}7\d\.\d % to 98\.\d %$/),
      expect.stringMatching(/^2\.4 {6}30 {6}10\.0 % {2}\d\.\d % to \d\d\.\d %$/),
      "Dropped: since 2026-03-01 12:00 UTC the score's interval is below the one before.",
    ]);
  });

  it("ends with code 0 while the intervals do not show a drop", async () => {
    await using world = await Watched.open(good, good.slice(-10));
    const { code, out } = await world.run();
    expect({ code, last: out.split("\n").at(-1) }).toEqual({ code: 0, last: "No drop so far." });
  });

  it("has the documented shape as JSON", async () => {
    await using world = await Watched.open(good, poor);
    const { json } = await world.run(" --json");
    const number = expect.any(Number);
    const page = readFileSync(new URL("../../../../docs/results/watching.md", import.meta.url), "utf8");
    const documented = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)![1]!) as object;
    expect(Object.keys(json())).toEqual(Object.keys(documented));
    expect(json()).toEqual({
      project: "shop",
      survey: "satisfaction",
      version: "2.4",
      stratum: null,
      name: "CSAT",
      baselineFrom: "2026-02-01T12:00:00.000Z",
      from: "2026-03-01T12:00:00.000Z",
      baseline: { value: 0.9, low: number, high: number, people: 50 },
      score: { value: 0.1, low: number, high: number, people: 30 },
      isDropped: true,
      droppedAt: "2026-03-01T12:00:00.000Z",
    });
  });

  it("counts the first answer of a person with each version, and freezes the baseline then", async () => {
    await using world = await Watched.open(good, poor);
    await world.answer(noon, good.slice(0, 30), "unversioned");
    const before = (await world.run(" --json")).json() as unknown as Printed;
    await world.answer(noon + dayInMs, good.slice(0, 30), "new", { version: "2.4" });
    await world.answer(noon + dayInMs, poor, "late", { version: "2.3" });
    expect((await world.run(" --json")).json()).toEqual(before);
  });

  it("takes a baseline whose score has changed at its mean, whichever half came first", async () => {
    for (const halves of [
      [5, 1],
      [1, 5],
    ]) {
      await using world = await Watched.open([], []);
      for (const [half, rating] of halves.entries()) {
        // As people answer: a few minutes apart.
        for (let answer = 0; answer < 100; answer++) {
          const at = noon - (4 - 2 * half) * dayInMs + answer * 421_337;
          await world.answer(at, [rating], `half ${half} answer ${answer}`, { version: `2.${half}` });
        }
      }
      await world.answer(
        noon,
        Array.from({ length: 60 }, (_, index) => (index % 2 ? 1 : 5)),
        "new",
        {
          version: "2.4",
        },
      );
      const { json, code } = await world.run(" --json");
      const { baseline } = json() as unknown as Printed;
      expect({ code, value: baseline.value, people: baseline.people }).toEqual({
        code: 0,
        value: 0.5,
        people: 200,
      });
      expect(baseline.low).toBeGreaterThan(0.3);
      expect(baseline.low).toBeLessThan(0.5);
    }
  });

  it("takes another version, and compares by time with --from, also answers without a version", async () => {
    await using world = await Watched.open(good, poor);
    await world.answer(noon + dayInMs, good, "late", { stratum: "failed" });
    const older = await world.run(" --run-version 2.3");
    expect(older.code).toBe(3);
    expect(older.error).toContain(
      'There are no answers to "satisfaction" of versions other than "2.3" from 2026-01-31T12:00:00.000Z',
    );
    const from = await world.run(" --from 2026-03-02 --json");
    expect(from.json() as unknown as Printed).toMatchObject({
      version: null,
      from: "2026-03-02T00:00:00.000Z",
      baseline: { people: 80 },
      score: { people: 50, value: 0.9 },
      isDropped: false,
    });
    const short = await world.run(" --from 2026-03-02 --baseline 12h --json");
    expect(short.json() as unknown as Printed).toMatchObject({ baseline: { people: 30, value: 0.1 } });
    const ofStratum = await world.run(" --from 2026-03-02 --stratum failed");
    expect(ofStratum).toMatchObject({ code: 3, error: expect.stringContaining("no answers") });
    world.now += dayInMs;
    const nothingYet = await world.run(" --from 2026-03-02T12:30:00Z --json");
    expect(nothingYet.json() as unknown as Printed).toMatchObject({
      score: { people: 0, value: null, low: 0, high: 1 },
    });
  });
});

describe("bad input to watch", () => {
  it.each([
    ["watch --project shop --survey speed", 3, 'no survey "speed". Known surveys: ease, satisfaction.'],
    [
      "watch --project shop --survey ease",
      3,
      'No answers to "ease" have a version: pass run.version at mint',
    ],
    [
      "watch --project shop --survey satisfaction --run-version 9",
      3,
      'There are no answers to "satisfaction" of version "9". Versions: 2.3, 2.4.',
    ],
    ["watch --project shop --survey satisfaction --stratum failed", 3, "No answers"],
    ["watch --project shop --survey satisfaction --from 2026-02-01", 3, "pass a longer --baseline"],
    ["watch --project shop --survey satisfaction --from 2027-01-01", 3, "is in the future"],
    ["watch --project shop --survey satisfaction --from soon", 3, "neither a date such as 2026-11-01"],
    ["watch --project shop --survey satisfaction --baseline 4", 2, "Pass a duration such as 28d or 12h."],
    ["watch --project shop --survey satisfaction --baseline 0d", 2, "It must be more than 0."],
    ["watch --project shop", 2, "--survey"],
    ["watch --project shop --survey ease --run-version 2 --from 2026-02-01", 2, "cannot be used with"],
  ])("%s ends with code %i and one clear line", async (command, code, message) => {
    await using world = await Watched.open(good.slice(0, 2), poor.slice(0, 2));
    const outcome = await world.run("", command);
    expect(outcome.code).toBe(code);
    expect(outcome.error).toContain(message);
    expect(outcome.out).toBe("");
  });
});
