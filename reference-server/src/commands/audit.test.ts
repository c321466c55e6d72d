import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AfterwordServer, noon, type Outcome } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

const hash = /^[\w-]{22}$/;

describe("a command that reads or removes what people said", () => {
  let server: AfterwordServer;

  beforeAll(async () => {
    server = new AfterwordServer();
    await using shop = await Shop.open({ database: server.database });
    await shop.answer({ respondentId: "ada", text: "words of ada" });
    await shop.answer({ respondentId: "bob" });
    await shop.dismiss({ respondentId: "ada", surveyId: "ease" });
  });
  afterAll(() => server[Symbol.dispose]());

  const audited = ({ log }: Outcome) => log.map((line) => JSON.parse(line) as Record<string, unknown>);

  // In this order: the last ones leave nothing.
  it.each([
    ["subject-report", "subject-report shop --respondent ada", { responses: 1, dismissals: 1 }],
    ["export", "responses export shop rows.jsonl --survey satisfaction", { responses: 2 }],
    ["retention", "retention --yes", { responsesDeleted: 0, dismissalsDeleted: 0, textsRemoved: 0 }],
    ["backup", "backup copy.db", { bytes: expect.any(Number) as number }],
    [
      "restore",
      "restore --without-erasure-log",
      { erasures: 0, skipped: 0, responsesDeleted: 0, dismissalsDeleted: 0 },
    ],
    ["erase", "project purge shop --yes", { responsesDeleted: 2, dismissalsDeleted: 1 }],
  ])("leaves one audit line: %s by `%s`", async (action, words, counts) => {
    const outcome = await server.run(words.replace(/rows.jsonl|copy.db/, (name) => server.file(name)));
    expect(outcome.code).toBe(0);
    const [line, ...rest] = audited(outcome);
    expect(rest).toEqual([]);
    expect(line).toMatchObject({
      event: "audit",
      level: "info",
      time: new Date(noon).toISOString(),
      operator: "operator-of-the-tests",
      action,
      counts,
    });
    expect(words).toContain(line!["command"]);
  });

  it("names persons by keyed hashes alone, and the same person always by the same", async () => {
    const report = () => server.run("subject-report shop --respondent ada --email ada@example.com");
    const [one, other] = [await report(), await report()];
    const [{ respondents, projectId, isWholeProject }] = audited(one) as [Record<string, unknown>];
    expect(respondents).toEqual([expect.stringMatching(hash), expect.stringMatching(hash)]);
    expect([projectId, isWholeProject]).toEqual(["shop", false]);
    expect(audited(other)[0]!["respondents"]).toEqual(respondents);
    expect(one.log.join("")).not.toMatch(/ada/);
  });

  it("says whether a survey or the whole project was meant", async () => {
    const file = server.file("all.jsonl");
    const whole = await server.run(`responses export shop ${file}`);
    expect(audited(whole)).toMatchObject([{ isWholeProject: true, respondents: [] }]);
    const survey = await server.run(`responses export shop ${file} --yes --survey ease`);
    expect(audited(survey)).toMatchObject([{ isWholeProject: false, surveySlug: "ease" }]);
  });

  it.each([
    ["subject-report shop", "was not told whom"],
    ["responses export nowhere rows.jsonl", "does not find the project"],
    ["project purge shop", "is not confirmed"],
    ["retention", "is not confirmed"],
    ["backup nowhere/copy.db", "has no folder to copy into"],
    ["project list", "reads no answers"],
  ])("leaves none when it did nothing of the kind: `%s` %s", async (words) => {
    expect((await server.run(words)).log).toEqual([]);
  });
});
