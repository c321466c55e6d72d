import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type RunCount } from "@afterword/reference-server/internal";
import { openStore } from "../postgres/open-store.ts";
import { AfterwordServer } from "./afterword-server.fixture.ts";

const day = Date.parse("2026-02-10T00:00:00Z");

type Run = { version?: string; stratum?: string; facts?: Record<string, string | number | boolean> };

/** Answers to runs alike, each of another person unless they are named. */
interface Answers {
  run?: Run;
  ratings: number[];
  people?: string[];
  /** Of a token out of bootstrap. */
  isUnbound?: boolean;
  taskTypes?: string[];
}

type Counts = Partial<RunCount> & Pick<RunCount, "kind" | "count">;

interface World {
  /** Default: csat. */
  type?: string;
  isSampled?: boolean;
  counts?: Counts[];
  answers: Answers[];
}

const failed = { name: "failed", when: [{ trait: "outcome", op: "eq", value: "failed" }], probability: 1 };

/** A database with one survey, in which runs were counted and answered. */
async function serverWith({
  type = "csat",
  isSampled,
  counts = [],
  answers,
}: World): Promise<AfterwordServer> {
  const server = new AfterwordServer();
  const survey = { id: "csat", slug: "csat", type, question: "How?", presentation: "corner" };
  const sampling = isSampled ? { sampling: { probability: 0.05, strata: [failed] } } : {};
  await server.run("project create shop --name Shop");
  expect((await server.apply([{ ...survey, trigger: "manual", ...sampling }])).code).toBe(0);
  const store = await openStore(server.database);
  const row = { projectId: "shop", surveyId: "csat", day, version: "", stratum: "", reason: "" };
  await store.addRunCounts(counts.map((count) => ({ ...row, ...count })));
  for (const { run, ratings, people, isUnbound, taskTypes } of answers)
    for (const [index, rating] of ratings.entries()) {
      const token = { projectId: "shop", epoch: 1, tokenId: randomBytes(16) };
      const id = token.tokenId.toString("hex");
      const sessionId = isUnbound ? undefined : `session-${id}`;
      const respondentId = people?.[index] ?? `person-${id}`;
      const answer = { id, at: day + 3_600_000, token, surveyId: "csat", surveyVersion: 1 };
      const taskType = taskTypes?.[index];
      await store.submit({ ...answer, respondentId, rating, run, sessionId, taskType });
    }
  await store.close();
  return server;
}

const times = (count: number, rating: number) => Array<number>(count).fill(rating);

interface Score {
  value: number;
  low: number;
  high: number;
  n: number;
  people: number;
  isWeighted: boolean;
}

interface Survey {
  key: string | null;
  score: Score;
  rawScore: Score;
  speaksFor: string;
  funnel: Record<string, number> | null;
  warnings: { code: string; text: string }[];
  groups: Survey[];
}

async function surveyOf(server: AfterwordServer, flags = ""): Promise<Survey & { changes: unknown[] }> {
  const { json } = await server.run(`results --project shop --json${flags}`);
  const { surveys, changes } = json() as { surveys: Survey[]; changes: unknown[] };
  return { ...surveys[0]!, changes };
}

const codes = ({ warnings }: Survey) => warnings.map(({ code }) => code);

/** 1,000 runs, of which 15 of 20 were rated well, and 40 failed ones, of which 5 of 20 were. */
const oversampled: World = {
  isSampled: true,
  counts: [
    { kind: "run", count: 1000 },
    { kind: "notSampled", count: 950 },
    { kind: "asked", count: 50 },
    { kind: "shown", count: 40 },
    { kind: "answered", count: 20 },
    { kind: "dismissed", count: 4 },
    { kind: "run", stratum: "failed", count: 40 },
    { kind: "gated", stratum: "failed", reason: "gated", count: 10 },
    { kind: "asked", stratum: "failed", count: 30 },
    { kind: "shown", stratum: "failed", count: 25 },
    { kind: "answered", stratum: "failed", count: 20 },
  ],
  answers: [
    { ratings: [...times(15, 5), ...times(5, 2)], run: {} },
    { ratings: [...times(5, 4), ...times(15, 1)], run: { stratum: "failed" } },
  ],
};

describe("the score of a survey whose runs are known", () => {
  it("weighs each answer as the runs of its class / their answers; the raw score stays beside it", async () => {
    using server = await serverWith(oversampled);
    const { score, rawScore, speaksFor, funnel, warnings } = await surveyOf(
      server,
      " --since 2026-02-01 --until 2026-02-28",
    );
    expect(score).toMatchObject({ name: "CSAT", n: 40, people: 40, isWeighted: true });
    expect(score.value).toBeCloseTo((1000 * 0.75 + 40 * 0.25) / 1040, 12);
    expect(score.low).toBeLessThan(0.6);
    expect(score.high).toBeGreaterThan(0.85);
    expect(rawScore).toMatchObject({ value: 0.5, n: 40, people: 40, isWeighted: false });
    expect(speaksFor).toBe(
      "This score speaks for all 1,040 runs of February 2026, assuming that those who answered resemble the others of their class.",
    );
    expect(funnel).toEqual({
      runs: 1040,
      notSampled: 950,
      gated: 10,
      asked: 80,
      shown: 65,
      answered: 40,
      dismissed: 4,
    });
    expect(warnings).toEqual([
      { code: "fewEffectiveAnswers", text: expect.stringContaining("independent ones, fewer than 30.") },
      { code: "unequalWeights", text: expect.stringContaining("25 times") },
    ]);
  });

  it("stands in table, CSV and page with its sentence, funnel and warnings", async () => {
    using server = await serverWith(oversampled);
    const { out } = await server.run("results --project shop");
    expect(out).toMatch(/^csat +40 +40 .* CSAT 73\.1 % +[\d.]+ % to [\d.]+ % +raw CSAT 50\.0 %/m);
    expect(out).toContain("  This score speaks for all 1,040 runs from 2025-12-01 to 2026-03-01, assuming");
    expect(out).toContain("runs 1,040; not sampled 950 (91.3 % of runs); gated 10 (1.0 % of runs); asked 80");
    expect(out).toContain("  ! Some answers weigh 25 times as much as others");
    const csv = (await server.run("results --project shop --csv")).out;
    expect(csv).toMatch(/,true,0\.5,[\d.]+,[\d.]+,40,1040,950,10,80,65,40,4,fewEffectiveAnswers unequal/);
    const page = await server.resultsPage();
    expect(page).toContain("weighted; raw 50.0 %");
    expect(page).toMatch(/<td>91\.3 % of runs<\/td>/);
  });

  it("merges versions with fewer than 10 answers, and leaves a stratum without answers out, and says so", async () => {
    using server = await serverWith({
      isSampled: true,
      counts: [
        { kind: "run", version: "1", count: 400 },
        { kind: "run", version: "2", count: 100 },
        { kind: "run", version: "3", count: 100 },
        { kind: "run", version: "1", stratum: "failed", count: 7 },
      ],
      answers: [
        { ratings: times(40, 5), run: { version: "1" } },
        { ratings: times(6, 1), run: { version: "2" } },
        { ratings: times(4, 5), run: { version: "3" } },
      ],
    });
    const survey = await surveyOf(server);
    // 400 runs all rated well, and 200 of which 4 in 10 were.
    expect(survey.score.value).toBeCloseTo((400 + 200 * 0.4) / 600, 12);
    expect(codes(survey)).toEqual(["stratumWithoutAnswers", "mergedClasses"]);
    expect(survey.warnings[0]!.text).toMatch(/^Runs of the stratum "failed" \(7\) have no answers/);
    expect(survey.warnings[1]!.text).toMatch(/^2 classes share a weight/);
    expect(survey.speaksFor).toContain("speaks for 600 of 607 runs from");
  });

  it("counts only answers with a run, and says how many have none", async () => {
    using server = await serverWith({
      ...oversampled,
      answers: [...oversampled.answers, { ratings: times(3, 1), isUnbound: true }],
    });
    const survey = await surveyOf(server);
    expect([survey.score.n, survey.rawScore.n]).toEqual([40, 43]);
    expect(survey.warnings.find(({ code }) => code === "answersWithoutRun")!.text).toMatch(
      /^3 answers have no known run and count only in the raw score/,
    );
  });

  it("takes a class with a few more answers than runs, which came late to earlier runs, as fully answered", async () => {
    using server = await serverWith({
      ...oversampled,
      counts: [
        { kind: "run", count: 1000 },
        { kind: "run", stratum: "failed", count: 18 },
      ],
    });
    const survey = await surveyOf(server);
    expect(survey.score).toMatchObject({ isWeighted: true, n: 40 });
    expect(survey.score.value).toBeCloseTo((1000 * 0.75 + 20 * 0.25) / 1020, 12);
    expect(survey.speaksFor).toContain("all 1,018 runs");
  });

  it("is the raw one, and speaks for all runs, where all answers weigh the same", async () => {
    using server = await serverWith({
      counts: [{ kind: "run", version: "1", count: 500 }],
      answers: [{ ratings: [...times(30, 5), ...times(10, 1)], run: { version: "1" } }],
    });
    const { score, rawScore, speaksFor } = await surveyOf(server);
    expect(score).toEqual(rawScore);
    expect(speaksFor).toBe(
      "This score speaks for all 500 runs from 2025-12-01 to 2026-03-01, assuming that those who answered resemble the others.",
    );
  });

  it.each(["page", ""])("keeps people that pages asked apart from runs (%s)", async (reason) => {
    using server = await serverWith({
      ...oversampled,
      counts: [...oversampled.counts!, { kind: "asked", count: 100, reason }],
    });
    const { out } = await server.run("results --project shop");
    expect(out).toContain("; asked 80 (7.7 % of runs); shown 65 (81.3 % of asked)");
    expect(out).toContain("; asked on pages, without a run 100\n");
  });

  it("is answered by a share of the runs that were asked about, not of those who reacted", async () => {
    using server = await serverWith(oversampled);
    expect((await server.run("results --project shop")).out).toMatch(/^csat +40 +40 +0 +50\.0 % /m);
    expect(await server.resultsPage()).toContain("50.0 % of the runs that were asked about were answered");
  });

  it("is answered by a share of those who reacted where the counts miss its answers", async () => {
    using server = await serverWith({
      counts: [
        { kind: "run", count: 10 },
        { kind: "asked", count: 10 },
      ],
      answers: [{ ratings: [5, 5], run: {} }],
    });
    expect(await server.resultsPage()).toContain("100.0 % of those who reacted answered");
  });
});

describe("a score speaks for those who answered alone", () => {
  it("where people are asked without a mint: the funnel begins with those who were asked", async () => {
    using server = await serverWith({
      counts: [
        { kind: "asked", count: 200 },
        { kind: "shown", count: 190 },
        { kind: "answered", count: 31 },
      ],
      answers: [{ ratings: times(31, 5), isUnbound: true }],
    });
    const survey = await surveyOf(server);
    expect(survey.score).toMatchObject({ isWeighted: false, n: 31 });
    expect(survey.speaksFor).toBe(
      "This score speaks for those who answered, because this survey was asked without a mint, so that its runs are not known.",
    );
    expect(codes(survey)).toEqual(["fewAnswered"]);
    const { out } = await server.run("results --project shop");
    expect(out).toContain(
      "\n  asked 200; shown 190 (95.0 % of asked); answered 31 (16.3 % of shown); dismissed 0",
    );
  });

  it("where counting began after the first answers", async () => {
    using server = await serverWith({
      ...oversampled,
      counts: [
        { kind: "run", count: 100 },
        { kind: "run", stratum: "failed", count: 12 },
      ],
    });
    const { score, speaksFor } = await surveyOf(server);
    expect(score).toMatchObject({ isWeighted: false, value: 0.5 });
    expect(speaksFor).toContain("because there are more answers than counted runs");
  });
});

/** Two versions, whose failed runs are all asked about; a person may have answered for both. */
const versions: World = {
  isSampled: true,
  counts: [
    { kind: "run", version: "2.9", count: 900 },
    { kind: "run", version: "2.9", stratum: "failed", count: 100 },
    { kind: "run", version: "2.10", count: 500 },
  ],
  answers: [
    { ratings: times(20, 5), run: { version: "2.9", facts: { tries: 1 } } },
    { ratings: times(20, 1), run: { version: "2.9", stratum: "failed", facts: { tries: 2 } } },
    { ratings: [...times(12, 5), ...times(28, 2)], run: { version: "2.10", facts: { tries: 2 } } },
  ],
};

describe("groups of a survey whose runs are known", () => {
  it("by version are weighted within each, with funnel, sentence and warnings of their own", async () => {
    using server = await serverWith(versions);
    const { groups } = await surveyOf(server, " --by version");
    expect(groups.map(({ key }) => key)).toEqual(["2.9", "2.10"]);
    const [first, second] = groups;
    expect(first).toMatchObject({
      score: { value: 0.9, n: 40, isWeighted: true },
      rawScore: { value: 0.5 },
      funnel: { runs: 1000 },
    });
    expect(first!.speaksFor).toContain("all 1,000 runs");
    expect(second!.score).toMatchObject({ value: expect.closeTo(0.3, 12), n: 40 });
  });

  it("by version are there too if they have runs and no answers", async () => {
    using server = await serverWith({
      ...versions,
      counts: [...versions.counts!, { kind: "run", version: "2.11", count: 7 }],
    });
    const { groups } = await surveyOf(server, " --by version");
    expect(groups.map(({ key }) => key)).toEqual(["2.9", "2.10", "2.11"]);
    expect(groups[2]).toMatchObject({ funnel: { runs: 7 }, score: { value: null, n: 0 } });
  });

  it("by stratum are weighted within each; by a fact they are raw, since runs are not counted by facts", async () => {
    using server = await serverWith(versions);
    const { groups: strata } = await surveyOf(server, " --by stratum");
    expect(strata.map(({ key, funnel }) => [key, funnel!["runs"]])).toEqual([
      [null, 1400],
      ["failed", 100],
    ]);
    expect(strata[0]!.score.value).toBeCloseTo((900 + 500 * 0.3) / 1400, 12);
    const { groups: tries } = await surveyOf(server, " --by tries");
    expect(tries.map(({ key, score }) => [key, score.n, score.isWeighted])).toEqual([
      ["2", 60, false],
      ["1", 20, false],
    ]);
    expect(tries[0]).toMatchObject({ funnel: null });
    expect(tries[0]!.speaksFor).toContain("because runs are not counted by tries");
  });

  it("by a fact show the control characters of a text as U+FFFD in a terminal", async () => {
    using server = await serverWith({
      answers: [{ ratings: [5], run: { facts: { plan: "pro\u001b[2J\nfree" } } }],
    });
    const { out } = await server.run("results --project shop --by plan");
    expect(out).toMatch(/^ {2}pro\ufffd\[2J\ufffdfree +1 /m);
  });

  it("are compared with a baseline, all together by Holm's correction", async () => {
    using server = await serverWith(versions);
    const { changes, groups } = await surveyOf(server, " --baseline 2.9");
    expect(groups).toHaveLength(2);
    expect(changes).toEqual([
      {
        id: "csat",
        survey: "csat",
        from: { name: "2.9", score: expect.objectContaining({ value: 0.9, isWeighted: true }) },
        to: { name: "2.10", score: expect.objectContaining({ n: 40 }) },
        difference: {
          value: expect.closeTo(-0.6, 9),
          low: expect.any(Number),
          high: expect.any(Number),
          probability: expect.any(Number),
        },
        isDifferent: true,
        words: expect.stringMatching(
          /^CSAT 90\.0 % \(2\.9, .*: lower by 60\.0 percentage points\. 95 % interval/,
        ),
      },
    ]);
    const page = await server.resultsPage(" --baseline 2.9");
    expect(page).toContain("lower by 60.0 percentage points");
    expect(page).toContain("<figcaption>By version</figcaption>");
  });

  it.each([
    ["--baseline 3.0", "no answer that was selected is of that version. Versions: 2.9, 2.10."],
    [
      "--baseline 2.9 --by stratum",
      '--baseline compares versions and cannot be combined with --by "stratum"',
    ],
    ["--baseline 2.9 --compare a,b", "--baseline cannot be combined with --compare"],
    [
      "--by colour",
      "no answer that was selected has such a fact. Its runs' facts: tries. Other groups: taskType",
    ],
    ["--by $colour", "cannot be the name of a fact here"],
  ])("%s ends with one clear line", async (flags, message) => {
    using server = await serverWith(versions);
    const { code, error, out } = await server.run(`results --project shop ${flags}`);
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(error).toContain(message);
  });

  it.each(["--by version", "--baseline v0"])(
    "are at most 100 with %s, in the table and on the page",
    async (flags) => {
      using server = await serverWith({
        answers: Array.from({ length: 101 }, (_, index) => ({ ratings: [5], run: { version: `v${index}` } })),
      });
      const flag = flags.startsWith("--by") ? '--by "version"' : "--baseline";
      const message = `${flag} gives 101 groups, more than 100: select less with --survey, --since and --until.`;
      const { code, error } = await server.run(`results --project shop ${flags}`);
      expect([code, error]).toEqual([3, message]);
      if (flags.startsWith("--by")) return;
      const page = await server.run(`results --project shop ${flags} --html ${server.file("results.html")}`);
      expect([page.code, page.error]).toEqual([3, message]);
    },
  );

  it("are at most 100", async () => {
    using server = await serverWith({
      answers: Array.from({ length: 101 }, (_, tries) => ({
        ratings: [5],
        run: { facts: { tries } },
        taskTypes: [`task-${tries}`],
      })),
    });
    for (const by of ["tries", "taskType"]) {
      const { error } = await server.run(`results --project shop --by ${by}`);
      expect(error).toContain(`--by "${by}" gives 101 groups, more than 100: select less`);
    }
  });
});
