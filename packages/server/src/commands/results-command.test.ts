import { readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { type SeedResponse } from "@afterword/reference-server/internal";
import { startServer } from "../program/start-server.ts";
import { AfterwordServer, noon, survey } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

interface World extends AsyncDisposable {
  server: AfterwordServer;
  shop: Shop;
  /** Seeds answers as if given then. */
  seedAt(time: string, answers: SeedResponse[]): Promise<unknown>;
}

/** A database that a server works on, with a few answers to two surveys. */
async function answered(): Promise<World> {
  const server = new AfterwordServer();
  let now = noon;
  const shop = await Shop.open({ database: server.database, clock: { now: () => now } });
  for (const [index, rating] of [5, 5, 4, 2].entries())
    await shop.answer({ respondentId: `person-${index}`, rating, sessionId: `session-${index}` });
  await shop.dismiss({ respondentId: "person-9" });
  await shop.answer({ respondentId: "person-0", rating: 1, surveyId: "ease", text: "<b>Slow</b> & sorry" });
  return {
    server,
    shop,
    async seedAt(time, answers) {
      now = Date.parse(time);
      await shop.server.seed("shop", answers);
      now = noon;
    },
    async [Symbol.asyncDispose]() {
      await shop[Symbol.asyncDispose]();
      server[Symbol.dispose]();
    },
  };
}

const responsesIn =
  ({ server }: World) =>
  async (flags = "") => {
    const { json } = await server.run(`results --project shop --survey satisfaction --json ${flags}`.trim());
    return (json() as { surveys: { responses: number }[] }).surveys[0]!.responses;
  };

/** Forty answers, so many of them good; of persons of their own unless they are named. */
const forty = (survey: string, good: number, more: Partial<SeedResponse> = {}, people?: string) =>
  Array.from({ length: 40 }, (_, index): SeedResponse => ({
    survey,
    rating: index < good ? 5 : 2,
    ...(people && { respondentId: `${people}-${index}` }),
    ...more,
  }));

describe("results", () => {
  it("are a table with scores, intervals and a warning beside few answers", async () => {
    await using world = await answered();
    const { code, out } = await world.server.run("results --project shop");
    expect(code).toBe(0);
    const [period, , , ease, satisfaction] = out.split("\n");
    expect(period).toBe("shop, 2025-12-01 to 2026-03-01 (UTC)");
    expect(satisfaction).toMatch(
      /^satisfaction +4 +4 +1 +80\.0 % +CSAT 75\.0 % +30\.1 % to 95\.4 % +too few to tell$/,
    );
    expect(ease).toMatch(/^ease +1 +1 +0 +100\.0 % +CSAT 0\.0 % /);
  });

  it("isolate a task type that turns the direction of text, in table, CSV and page", async () => {
    await using world = await answered();
    const taskType = "refund\u202e";
    await world.shop.server.seed("shop", [
      { survey: "satisfaction", rating: 5, text: "Good", taskType },
      { survey: "satisfaction", rating: 4, taskType: "invoice" },
    ]);
    const by = "results --project shop --survey satisfaction --by taskType";
    const lines = (await world.server.run(by)).out.split("\n");
    const [turned, plain] = ["\u2068refund", "  invoice"].map((name) =>
      lines.find((line) => line.includes(name))!,
    );
    // Its width on the screen is that of "refund".
    expect(turned).toMatch(/^ {2}\u2068refund\u202e\u2069 +1 +/);
    expect(turned!.indexOf("CSAT") - 3).toBe(plain!.indexOf("CSAT"));
    expect((await world.server.run(`${by} --csv`)).out).toContain(",taskType,\u2068refund\u202e\u2069,1,");
    const page = await world.server.resultsPage();
    expect(page).toContain("· <bdi>refund\u202e</bdi>");
    // Elsewhere it has an element of its own, which isolates it: a cell, an option, an axis label, an attribute.
    const inLines = page.replaceAll(/<(bdi|th|option|text)\b[^>]*>[^<]*<\/\1>|"[^"]*"/g, "");
    expect(inLines).not.toContain("\u202e");
    expect((await world.server.run(`${by} --json`)).out).toContain(JSON.stringify(taskType));
  });

  it("have the documented shape as JSON", async () => {
    await using world = await answered();
    const { json } = await world.server.run("results --project shop --survey satisfaction --by week --json");
    const score = {
      name: "CSAT",
      value: 0.75,
      low: expect.closeTo(0.3006, 4),
      high: expect.closeTo(0.9544, 4),
      n: 4,
      people: 4,
      effectiveN: 4,
      isWeighted: false,
    };
    const figures = {
      responses: 4,
      people: 4,
      withoutPerson: 0,
      dismissals: 1,
      answeredShare: 0.8,
      distribution: { 1: 0, 2: 1, 3: 0, 4: 1, 5: 2 },
      score,
      rawScore: score,
      warnings: ["fewPeople", "fewEffectiveAnswers"].map((code) => ({ code, text: expect.any(String) })),
    };
    const funnel = { runs: 0, notSampled: 0, gated: 0, asked: 0, shown: 0, answered: 0, dismissed: 0 };
    expect(json()).toEqual({
      project: "shop",
      since: "2025-12-01T12:00:00.000Z",
      until: "2026-03-01T12:00:00.001Z",
      timezone: "UTC",
      surveys: [
        {
          id: "satisfaction",
          slug: "satisfaction",
          type: "csat",
          imported: 0,
          ...figures,
          funnel,
          speaksFor: "This score speaks for those who answered, because no runs were counted in this period.",
          groups: [
            {
              key: "2026-02-23",
              isPartial: true,
              ...figures,
              firstAt: null,
              lastAt: null,
              funnel: null,
              speaksFor: "This score speaks for those who answered, because runs are not counted by week.",
            },
          ],
        },
      ],
      queue: {
        waiting: 5,
        oldestAt: new Date(noon).toISOString(),
        failed: 0,
        failures: [],
        deliveredPerHour: [],
      },
    });
  });

  it("of a survey of thumbs are the share of up with its interval, in table, JSON and page", async () => {
    const server = new AfterwordServer();
    const surveys = [{ ...survey("liked", { type: "csat", thumbs: true }), status: "active" }];
    const config = { projects: [{ id: "shop", name: "Shop", allowedOrigins: [], surveys }] } as never;
    await using running = await startServer({
      database: server.database,
      config,
      clock: { now: () => noon },
    });
    await running.seed(
      "shop",
      [5, 5, 1].map((rating) => ({ rating })),
    );
    await running.close();
    const { out } = await server.run("results --project shop");
    expect(out).toMatch(/^liked +3 +3 +0 .* 66\.7 % up +20\.8 % to 93\.9 %/m);
    const [results] = (await server.run("results --project shop --json")).json()["surveys"] as object[];
    expect(results).toMatchObject({ thumbs: true, score: { name: "up" }, funnel: { answered: 3 } });
    expect(await server.resultsPage()).toContain("<strong>66.7 %</strong> up");
    server[Symbol.dispose]();
  });

  it("end with the queue: what waits, what was delivered per hour, and why scores failed", async () => {
    await using world = await answered();
    const { scores } = (await (await world.shop.asServer("GET", "/v1/sdk/pending-scores")).json()) as {
      scores: { id: string }[];
    };
    const [delivered, ...failed] = scores.map(({ id }) => id);
    const results = [
      { id: delivered, state: "delivered" },
      { id: failed[0], state: "failed", reason: "phoenix: POST /v1/x answered <422>" },
      { id: failed[1], state: "failed", reason: "phoenix: POST /v1/x answered <422>" },
      { id: failed[2], state: "failed" },
    ];
    await world.shop.asServer("POST", "/v1/sdk/pending-scores/ack", { results });
    const { out } = await world.server.run("results --project shop");
    expect(out.split("\n").slice(-4)).toEqual([
      "1 score waiting for the forwarder, the oldest for 0 minutes; delivered: 1 in the last 24 hours, 1 in the current hour.",
      "3 scores failed for good:",
      "  2: phoenix: POST /v1/x answered <422>",
      "  1: the forwarder gave no reason",
    ]);
    const { json } = await world.server.run("results --project shop --json");
    expect(json()["queue"]).toMatchObject({
      failed: 3,
      failures: [
        { reason: "phoenix: POST /v1/x answered <422>", count: 2 },
        { reason: null, count: 1 },
      ],
      deliveredPerHour: [{ hour: "2026-03-01T12:00:00.000Z", delivered: 1 }],
    });
    const page = await world.server.resultsPage();
    expect(page).toContain("<li>2: phoenix: POST /v1/x answered &lt;422&gt;</li>");
    expect(page).toContain("Delivered per hour, as a table");
  });

  it("are CSV with a row per survey and group, in which a negative number is no formula", async () => {
    await using world = await answered();
    const { out } = await world.server.run(
      "results --project shop --survey satisfaction --by surveyVersion --csv",
    );
    const rows = out.split("\r\n");
    expect(rows[0]).toMatch(
      /^project,survey,slug,type,by,key,responses,imported,dismissals,answeredShare,score,value,.*,people,withoutPerson,effectiveN,isWeighted,.*,warnings,speaksFor,isPartial,timezone$/,
    );
    expect(rows[1]).toMatch(
      /^shop,satisfaction,satisfaction,csat,,,4,0,1,0\.8,CSAT,0\.75,.*,4,0,4,false,0\.75,.*,fewPeople fewEffectiveAnswers,"This score speaks for those who answered/,
    );
    expect(rows[2]).toMatch(/^shop,satisfaction,satisfaction,csat,surveyVersion,1,4,,,,CSAT,0\.75,/);
  });

  it("count only the period: a last date is in it with its whole day", async () => {
    await using world = await answered();
    const responses = responsesIn(world);
    expect(await responses("--until 2026-03-01")).toBe(4);
    expect(await responses("--until 2026-03-01T12:00:00Z")).toBe(0);
    expect(await responses("--since 2026-03-01T11:59:59Z")).toBe(4);
    expect(await responses("--until 2026-02-28")).toBe(0);
  });

  it("of two periods are compared in words that claim no more than the people show", async () => {
    await using world = await answered();
    const { out } = await world.server.run(
      "results --project shop --since 2026-02-28 --until 2026-03-01 --compare previous",
    );
    expect(out).toContain(
      "satisfaction: Too few people to compare 2026-02-26 to 2026-02-27 with 2026-02-28 to 2026-03-01.",
    );
  });

  it("are of the last 90 days, or of another duration", async () => {
    await using world = await answered();
    await world.seedAt("2025-11-30T08:00:00Z", [{ survey: "satisfaction", rating: 1 }]);
    await world.seedAt("2025-12-02T08:00:00Z", [{ survey: "satisfaction", rating: 1 }]);
    const responses = responsesIn(world);
    expect(await responses()).toBe(5);
    expect(await responses("--since 28d")).toBe(4);
    expect(await responses("--since 28d --until 2025-12-02")).toBe(2);
  });

  it("mark imported responses, and leave them out if told to", async () => {
    await using world = await answered();
    const file = world.server.file(
      "old.csv",
      "email,survey,rating,at\na@example.com,satisfaction,1,2025-01-01T00:00:00Z\n",
    );
    expect((await world.server.run(`responses import shop ${file}`)).code).toBe(0);
    expect((await world.server.run("results --project shop --since 2025-01-01")).out).toContain(
      "satisfaction (1 imported)  5 ",
    );
    expect((await world.server.run("results --project shop --since 2025-01-01 --measured-only")).out).toMatch(
      /^satisfaction +4 /m,
    );
  });
});

/** Forty people more, before and in the last 90 days. */
async function moved(): Promise<World> {
  const world = await answered();
  const of = (period: string, satisfied: number, eased: number) => [
    ...forty("satisfaction", satisfied, {}, period),
    ...forty("ease", eased, {}, period),
  ];
  await world.seedAt("2025-10-01T08:00:00Z", of("before", 36, 20));
  await world.seedAt("2026-02-01T08:00:00Z", of("now", 12, 22));
  return world;
}

describe("the change against the period before", () => {
  it("is in a digest of Markdown: what fell first, then the others, without comments", async () => {
    await using world = await moved();
    const { out, log } = await world.server.run("results --project shop --digest");
    const lines = out.split("\n");
    expect(lines[0]).toBe("**Shop**, 2025-12-01 to 2026-03-01 (UTC), against as much time before");
    expect(lines[2]).toMatch(
      /^“How was it\?” fell by [\d.]+ percentage points\. No clear change in one other\.$/,
    );
    expect(lines[4]).toMatch(
      /^- \*\*How was it\?\*\* CSAT 34\.1 %, likely [\d.]+ % to [\d.]+ %\. ▼ Down [\d.]+ percentage points \(likely −[\d.]+ to −[\d.]+\)\. 44 answers of 44 people\.$/,
    );
    expect(lines[5]).toMatch(
      /^- .* No clear change \([−+][\d.]+, likely −[\d.]+ to \+[\d.]+\)\. 41 answers of 41 people\.$/,
    );
    expect(out).not.toContain("sorry");
    expect(log).toEqual([]);
  });

  it("is not claimed of fewer than 30 people", async () => {
    await using world = await answered();
    const { out } = await world.server.run("results --project shop --digest");
    expect(out).toContain("No comparison yet: there are too few answers, or none in the period before.");
    expect(out).toContain("CSAT 75.0 %, too few to tell. No answers before. 4 answers of 4 people.");
  });

  it("puts surveys without answers last, in the digest and in both parts of the page", async () => {
    await using world = await answered();
    await world.seedAt("2025-06-15T12:00:00Z", [{ survey: "satisfaction", rating: 5 }]);
    const june = " --since 2025-06-01 --until 2025-06-30";
    const { out } = await world.server.run(`results --project shop --digest${june}`);
    expect(out).toMatch(/CSAT 100\.0 %[^]*No answers\./);
    const page = await world.server.resultsPage(june);
    const slugs = page.match(/(?<=<small>|<p class="about">)(ease|satisfaction)\b/g);
    expect(slugs).toEqual(["satisfaction", "ease", "satisfaction", "ease"]);
  });
});

describe("results in a time zone", () => {
  /** Late in the evening of Saturday, the 28th, in UTC, which is Sunday in Berlin; and on Sunday in the night to Monday. */
  async function atNight(): Promise<World> {
    const world = await answered();
    await world.seedAt("2026-02-28T22:59:59Z", [{ survey: "satisfaction", rating: 1 }]);
    await world.seedAt("2026-02-28T23:00:00Z", [{ survey: "satisfaction", rating: 1 }]);
    return world;
  }
  const keysOf = async (world: World, flags: string) => {
    const { json } = await world.server.run(`results --project shop --survey satisfaction --json ${flags}`);
    const { timezone, surveys } = json() as {
      timezone: string;
      surveys: { groups: { key: string; responses: number; dismissals: number; isPartial: boolean }[] }[];
    };
    const groups = surveys[0]!.groups.map(
      ({ key, responses, dismissals, isPartial }) =>
        `${key}: ${responses}, ${dismissals}${isPartial ? " partial" : ""}`,
    );
    return { timezone, groups };
  };

  it("have its days and weeks, with their dismissals", async () => {
    await using world = await atNight();
    const days = (timezone: string) => keysOf(world, `--since 2026-02-27 --by day --timezone ${timezone}`);
    expect(await days("UTC")).toEqual({
      timezone: "UTC",
      groups: ["2026-02-28: 2, 0", "2026-03-01: 4, 1 partial"],
    });
    expect(await days("Europe/Berlin")).toEqual({
      timezone: "Europe/Berlin",
      groups: ["2026-02-28: 1, 0", "2026-03-01: 5, 1 partial"],
    });
    // Noon on Sunday is Monday there.
    expect((await keysOf(world, "--by week --timezone Pacific/Kiritimati")).groups).toEqual([
      "2026-02-23: 2, 0",
      "2026-03-02: 4, 1 partial",
    ]);
  });

  it("say so in the table, JSON, CSV, the digest and the page, and without the flag that it is UTC", async () => {
    await using world = await atNight();
    // Hours are drawn from 30 answers on.
    const answers = Array.from({ length: 30 }, () => ({ survey: "satisfaction", rating: 5 }));
    await world.shop.server.seed("shop", answers);
    for (const [flag, name] of [
      ["", "UTC"],
      [" --timezone Asia/Kathmandu", "Asia/Kathmandu"],
    ]) {
      const run = async (more: string) =>
        (await world.server.run(`results --project shop${flag}${more}`)).out;
      expect(await run("")).toMatch(new RegExp(`^shop, .*\\(${name}\\)\\n`));
      expect(await run(" --digest")).toMatch(new RegExp(`^\\*\\*Shop\\*\\*, .*\\(${name}\\), against`));
      const [heading, first] = (await run(" --csv")).split("\r\n").map((line) => line.split(","));
      expect([heading!.at(-1), first!.at(-1)]).toEqual(["timezone", name]);
      const page = await world.server.resultsPage(flag);
      expect(page).toMatch(new RegExp(`<p>\\s*2025-12-01 to 2026-03-01 \\(${name}\\); read at`));
      expect(page).toContain(`Answers by hour of the week (${name})`);
      const noonThere = name === "UTC" ? "2026-03-01 12:00 UTC" : "2026-03-01 17:45 Asia/Kathmandu";
      expect(page.match(new RegExp(noonThere, "g"))!.length).toBeGreaterThanOrEqual(2);
    }
  });
});

describe("CSV for Excel", () => {
  it("begins with a byte order mark if told to", async () => {
    await using world = await answered();
    const plain = await world.server.run("results --project shop --csv");
    const marked = await world.server.run("results --project shop --csv --bom");
    expect(marked.out).toBe(`\ufeff${plain.out}`);
  });
});

describe("a comparison that was asked for", () => {
  /** Two surveys of three versions; only `satisfaction` fell, with 2.5. */
  async function released(): Promise<World> {
    const world = await answered();
    const of = (survey: string, version: string, good: number) =>
      forty(survey, good, { run: { version } }, `${survey}-${version}`);
    await world.seedAt("2026-02-01T08:00:00Z", [
      ...["2.4", "2.6"].flatMap((version) => of("satisfaction", version, 32)),
      ...of("satisfaction", "2.5", 12),
      ...["2.4", "2.5", "2.6"].flatMap((version) => of("ease", version, 22)),
    ]);
    return world;
  }
  const first =
    /“How was it\?” is lower by 50\.0 percentage points with 2\.5 than with 2\.4\. No clear difference in 3 others\./;

  it("is the first sentence of the page, and the list of differences has the question and begins with those found", async () => {
    await using world = await released();
    const page = await world.server.resultsPage(" --baseline 2.4");
    expect(/<p class="verdict">(.*?)<\/p>/s.exec(page)![1]).toMatch(first);
    expect(page).not.toContain("No score changed clearly");
    const list = /<h2>Against version 2\.4<\/h2>(.*?)<\/section>/s.exec(page)![1]!;
    const items = [...list.matchAll(/<li><strong>(.*?)<\/strong> (.*?)<\/li>/gs)];
    expect(items.map(([, question]) => question)).toEqual(Array<string>(4).fill("How was it?"));
    expect(items[0]![2]).toContain("lower by 50.0 percentage points");
    expect(
      items.slice(1).every(([, , words]) => words!.includes("no difference that these answers can show")),
    ).toBe(true);
  });

  it("is in the digest", async () => {
    await using world = await released();
    const { code, out } = await world.server.run("results --project shop --baseline 2.4 --digest");
    expect(code).toBe(0);
    const lines = out.split("\n");
    expect(lines[0]).toMatch(/\(UTC\), against version 2\.4$/);
    expect(lines[2]).toMatch(first);
    expect(lines[4]).toMatch(
      /^- \*\*How was it\?\*\* CSAT .+ 2\.5: ▼ Down 50\.0 percentage points \(likely −[\d.]+ to −[\d.]+\)\. /,
    );
    expect(lines[5]).toMatch(/^- \*\*How was it\?\*\* CSAT .+ 2\.[56]: No clear change \(/);
  });

  it("may be of two task types, in page and digest", async () => {
    await using world = await answered();
    const [refund, invoice] = ["refund", "invoice"].map((taskType) => ({ taskType }));
    await world.seedAt("2026-02-01T08:00:00Z", [...forty("ease", 12, refund), ...forty("ease", 36, invoice)]);
    const { out } = await world.server.run("results --project shop --compare refund,invoice --digest");
    expect(out).toMatch(
      /against refund\n\n“How was it\?” is higher by 60\.0 percentage points with invoice than with refund\./,
    );
  });

  it("is not claimed of an interval that leaves out 0 alone, and the text says why", async () => {
    await using world = await answered();
    const of = (version: string, good: number) => forty("ease", good, { run: { version } });
    await world.seedAt("2026-02-01T08:00:00Z", [
      ...of("1", 30),
      ...of("2", 20),
      ...["3", "4", "5", "6", "7", "8", "9"].flatMap((version) => of(version, 29)),
    ]);
    const { out } = await world.server.run("results --project shop --baseline 1");
    expect(out).toMatch(
      /50\.0 % \(2, .*: no difference that these answers can show\. 95 % interval of the difference: −[\d.]+ to −[\d.]+ percentage points, too close to 0 for a test of all differences shown \(Holm's correction\)\./,
    );
    const { json } = await world.server.run("results --project shop --baseline 1 --json");
    for (const { difference, isDifferent, words } of (
      json() as {
        changes: { difference: { low: number; high: number }; isDifferent: boolean; words: string }[];
      }
    ).changes) {
      const leavesOutZero = difference.low > 0 || difference.high < 0;
      expect({ isDifferent, isExplained: words.includes("Holm") }).toEqual({
        isDifferent: false,
        isExplained: leavesOutZero,
      });
    }
    // Alone it is a difference.
    const alone = await world.server.run("results --project shop --baseline 1 --digest");
    expect(alone.out).toMatch(/No score differs clearly from that of version 1\./);
  });
});

describe("bad input to results", () => {
  it.each([
    [
      "--project shop --timezone Mars/Olympus",
      3,
      '--timezone "Mars/Olympus" is no time zone: pass a name such as',
    ],
    ["--project shop --until 2026-03-02", 3, "--until 2026-03-02 is in the future: leave it out"],
    ["--project shop --since 0d", 3, "is not more than 0"],
    ["--project shop --bom", 3, "--bom marks a CSV: pass --csv with it."],
    ["--project shop --digest --bom", 3, "pass --csv with it."],
    ["--project shop --survey speed", 3, 'has no survey "speed". Its surveys: ease, satisfaction.'],
    ["--project shop --since yesterday", 3, '--since "yesterday" is neither a date such as 2026-11-01'],
    [
      "--project shop --since 2026-03-01 --until 2026-02-01",
      3,
      "--since 2026-03-01 must be before --until 2026-02-01.",
    ],
    ["--project shop --compare refund", 3, 'neither "previous" nor two task types'],
    ["--project shop --html x.html --session-url https://runs.example", 3, "the placeholder {sessionId}"],
    ["--project shop --digest --json", 2, "cannot be used with"],
    ["--project shop --open --port 70000", 2, "not a whole number from 0 to 65535"],
    ["--project shop --by colour", 3, '--by "colour": no answer that was selected has such a fact.'],
  ])("%s ends with code %i and one clear line", async (flags, code, message) => {
    await using world = await answered();
    const outcome = await world.server.run(`results ${flags}`);
    expect(outcome.code).toBe(code);
    expect(outcome.error).toContain(message);
    expect(outcome.out).toBe("");
  });
});

describe("the page of results", () => {
  it("is one private file that makes no requests and shows texts as texts", async () => {
    await using world = await answered();
    const file = world.server.file("results.html");
    const { code, out, log } = await world.server.run(
      `results --project shop --html ${file} --session-url https://runs.example/{sessionId}`,
    );
    expect({ code, out }).toEqual({ code: 0, out: `Wrote the results of shop to ${file}.` });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const page = readFileSync(file, "utf8");
    expect(page).toContain("&lt;b&gt;Slow&lt;/b&gt; &amp; sorry");
    expect(page).toContain('href="https://runs.example/session-1"');
    expect(page).not.toMatch(/\b(src|href)="(?!https:\/\/runs\.example\/|#)/);
    expect(page).toContain("default-src &#39;none&#39;");
    expect(JSON.parse(log[0]!)).toMatchObject({
      event: "audit",
      what: "read-texts",
      details: { counts: { comments: 1 } },
    });
  });

  it("replaces its own earlier file, and never another one", async () => {
    await using world = await answered();
    const file = world.server.file("results.html");
    const write = (words = "") => world.server.run(`results --project shop --html ${file}${words}`);
    await write();
    await world.shop.answer({ respondentId: "person-7", rating: 1 });
    expect((await write()).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("<strong>60.0 %</strong> satisfied");
    for (const other of [
      "<!doctype html>\n<p>A page of mine</p>",
      "",
      readFileSync(file, "utf8").replace("shop", "shoes"),
    ]) {
      writeFileSync(file, other);
      const { code, error } = await write();
      expect({ code, error }).toEqual({
        code: 3,
        error: expect.stringContaining("is not a page with results of shop"),
      });
      expect(readFileSync(file, "utf8")).toBe(other);
    }
  });
});

describe("the live page of results", () => {
  const status = (url: string, host?: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = host === undefined ? {} : { host };
      request(url, { headers }, (reply) => {
        reply.resume();
        resolve(reply.statusCode!);
      })
        .on("error", reject)
        .end();
    });

  it("is served on loopback under a secret path and refuses other host names", async () => {
    await using world = await answered();
    const stop = new AbortController();
    const printed = Promise.withResolvers<string>();
    const running = world.server.run("results --project shop --open", {
      interruption: stop.signal,
      onPrint: (line) => printed.resolve(line),
    });
    const url = (await printed.promise).split(": ")[1]!;
    expect(new URL(url).hostname).toBe("127.0.0.1");
    const reply = await fetch(url);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(reply.headers.get("set-cookie")).toBeNull();
    expect(await reply.text()).toContain("<strong>75.0 %</strong> satisfied");
    await world.shop.answer({ respondentId: "person-5", rating: 5 });
    expect(await (await fetch(url)).text()).toContain("<strong>80.0 %</strong> satisfied");
    expect(await status(new URL("/", url).href)).toBe(404);
    expect(await status(url, "rebound.example")).toBe(421);
    stop.abort();
    const { code, log } = await running;
    expect(code).toBe(0);
    expect(log).toHaveLength(2);
  });
});
