import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AfterwordServer, noon, survey, type Outcome } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

const hash = /^[\w-]{22}$/;

describe("a command that reads, removes or changes something", () => {
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

  it("names a person by a keyed hash, which is always the same", async () => {
    const report = () => server.run("subject-report shop --respondent ada --email ada@example.com");
    const [one, other] = [await report(), await report()];
    const [{ respondents, projectId, isWholeProject }] = audited(one) as [Record<string, unknown>];
    expect(respondents).toEqual([expect.stringMatching(hash), expect.stringMatching(hash)]);
    expect([projectId, isWholeProject]).toEqual(["shop", false]);
    expect(audited(other)[0]!["respondents"]).toEqual(respondents);
    expect(one.log.join("")).not.toMatch(/ada/);
  });

  it("says whether it was about a survey or the whole project", async () => {
    const file = server.file("all.jsonl");
    const whole = await server.run(`responses export shop ${file}`);
    expect(audited(whole)).toMatchObject([{ isWholeProject: true, respondents: [] }]);
    const survey = await server.run(`responses export shop ${file} --yes --survey ease`);
    expect(audited(survey)).toMatchObject([{ isWholeProject: false, surveySlug: "ease" }]);
  });

  it.each([
    [
      "project create store --origin https://store.example --monthly-cap 2",
      {
        action: "project-create",
        projectId: "store",
        changed: { name: "store", allowedOrigins: ["https://store.example"], gating: { monthlyCap: 2 } },
      },
    ],
    [
      "project update store --add-origin https://new.example",
      {
        action: "project-update",
        projectId: "store",
        changed: { allowedOrigins: ["https://store.example", "https://new.example"] },
      },
    ],
    [
      "key create store publishable --expires 90d",
      {
        action: "key-create",
        projectId: "store",
        keyId: expect.stringMatching(/^key_/),
        keyKind: "publishable",
        expiresAt: new Date(noon + 90 * 86_400_000).toISOString(),
      },
    ],
    [
      "survey import store surveys.json",
      {
        action: "survey-import",
        projectId: "store",
        surveys: [{ id: "visit", version: 1, status: "draft", change: "created" }],
      },
    ],
    [
      "survey activate store visit",
      {
        action: "survey-status",
        projectId: "store",
        surveys: [{ id: "visit", version: 1, status: "active" }],
      },
    ],
    [
      "survey pause store visit",
      {
        action: "survey-status",
        projectId: "store",
        surveys: [{ id: "visit", version: 1, status: "paused" }],
      },
    ],
  ])("what it changes is audited with account, host, command and time: `%s`", async (words, entry) => {
    const file = server.file("surveys.json", JSON.stringify([survey("visit")]));
    const outcome = await server.run(words.replace("surveys.json", file));
    expect(outcome.code).toBe(0);
    const [line, ...rest] = audited(outcome);
    expect(rest).toEqual([]);
    expect(line).toMatchObject({
      event: "audit",
      time: new Date(noon).toISOString(),
      operator: "operator-of-the-tests",
      host: "machine-of-the-tests",
      ...entry,
    });
    expect(words).toContain(line!["command"]);
  });

  it("a revoked key is audited by its id, and no line holds a key", async () => {
    const { keys } = (await server.run("key list store --json")).json() as {
      keys: { id: string; kind: string }[];
    };
    const { id } = keys.find(({ kind }) => kind === "secret")!;
    const revoked = await server.run(`key revoke ${id} --yes`);
    expect(audited(revoked)).toMatchObject([
      { action: "key-revoke", projectId: "store", keyId: id, keyKind: "secret" },
    ]);
    expect(revoked.log.join("")).not.toMatch(/aw_[ps]k_/);
  });

  it.each([
    ["subject-report shop", "got no person"],
    ["responses export nowhere rows.jsonl", "does not find the project"],
    ["project purge shop", "is not confirmed"],
    ["retention", "is not confirmed"],
    ["backup nowhere/copy.db", "has no folder to copy into"],
    ["project list", "reads no answers"],
  ])("leaves no audit line when it did nothing: `%s` %s", async (words) => {
    expect((await server.run(words)).log).toEqual([]);
  });
});
