import { chmodSync, readFileSync, statSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { AfterwordServer, survey } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

async function withSurveys() {
  const server = await AfterwordServer.withShop();
  await server.apply([survey("satisfaction"), survey("loyalty", { type: "nps" })]);
  return server;
}

const heading = "email,survey,rating,at,text,trait.plan";
const lines = [
  'ada@example.com,satisfaction,5,2025-03-01T12:00:00Z,"Good, and quick",pro',
  "bob@example.com,loyalty,0,2025-04-01T12:00:00+02:00,,",
];
const csv = (...rows: string[]) => `${[heading, ...rows].join("\n")}\n`;

describe("responses import", () => {
  it("stores each line as an imported response of a person known by e-mail", async () => {
    using server = await withSurveys();
    const file = server.file("answers.csv", csv(...lines));
    const { code, out } = await server.run(`responses import shop ${file}`);
    expect(code).toBe(0);
    expect(out).toBe("Added 2 responses to shop.");
    await using shop = await Shop.open({ database: server.database });
    const [ada] = await shop.export("?email=ada%40example.com");
    expect(ada).toMatchObject({
      rating: 5,
      text: "Good, and quick",
      at: "2025-03-01T12:00:00.000Z",
      source: "imported",
      traits: { plan: "pro" },
    });
    expect(ada!["respondentId"]).toMatch(/^imp_[a-z2-7]{52}$/);
    const [bob] = await shop.export("?email=BOB%40example.com");
    expect(bob).toMatchObject({ rating: 0, text: null, at: "2025-04-01T10:00:00.000Z", traits: null });
  });

  it("stores no address; a person is exported and erased by it, alone or together with their present id", async () => {
    using server = await withSurveys();
    await server.run(`responses import shop ${server.file("answers.csv", csv(...lines))}`);
    await using shop = await Shop.open({ database: server.database });
    await shop.answer({ respondentId: "ada" });
    const both = "?email=Ada%40example.com&respondentId=ada";
    expect((await shop.export(both)).map(({ source }) => source)).toEqual(["imported", "measured"]);
    expect(JSON.stringify(await shop.export())).not.toContain("example.com");
    const reply = await (await shop.asServer("DELETE", `/v1/privacy/erase${both}`)).json();
    expect(reply).toMatchObject({ responsesDeleted: 2, suppressionRetained: 1 });
    expect((await shop.export()).map(({ rating }) => rating)).toEqual([0]);
  });

  it("reports every error by line without quoting it, and stores nothing", async () => {
    using server = await withSurveys();
    const bad = [
      "ada(at)example.com,satisfaction,5,2025-03-01T12:00:00Z,,",
      "eve@example.com,satisfaction,6,2025-03-01T12:00:00Z,,",
      "eve@example.com,satisfaction,5,yesterday,,",
      "eve@example.com,satisfaction,5,2031-03-01T12:00:00Z,,",
      "eve@example.com,nothing,5,2025-03-01T12:00:00Z,,",
      ",satisfaction,5,2025-03-01T12:00:00Z,,",
      `eve@example.com,satisfaction,5,2025-03-01T12:00:00Z,${"x".repeat(10_001)},`,
    ];
    const file = server.file("answers.csv", csv(...lines, ...bad));
    const { code, error } = await server.run(`responses import shop ${file}`);
    expect(code).toBe(2);
    const told = error.split("\n").slice(1);
    expect(told).toEqual([
      `  ${file}:4: email is not an e-mail address`,
      `  ${file}:5: rating is not a whole number from 1 to 5, as this survey has them`,
      `  ${file}:6: at is not a time such as 2025-03-01T12:00:00Z or a date such as 2025-03-01`,
      `  ${file}:7: at lies in the future`,
      `  ${file}:8: The project "shop" has no survey "nothing". Known surveys: loyalty, satisfaction.`,
      `  ${file}:9: email is missing`,
      `  ${file}:10: text is longer than 10000 characters`,
    ]);
    expect(error).not.toMatch(/eve@|ada\(at\)/);
    expect((await server.run(`responses import shop ${file} --dry-run`)).code).toBe(2);
    const good = server.file("good.csv", csv(...lines));
    expect((await server.run(`responses import shop ${good} --json`)).json()).toMatchObject({ added: 2 });
  });

  it("counts lines right after line breaks in quotes, of each kind", async () => {
    using server = await withSurveys();
    for (const [between, end] of [
      ["\r\n", "\r\n"],
      ["\r\n\r\n", "\r\n"],
      ["\n", "\r\n"],
      ["\r\n", "\n"],
    ] as const) {
      const good = `ada@example.com,satisfaction,3,2025-03-01,"one${between}two ""${between}three",`;
      const lines = [
        "email,survey,rating,at,text,trait.plan",
        good,
        good,
        "ada,satisfaction,3,2025-03-01,,",
        "",
      ];
      const file = server.file("a.csv", lines.join(end));
      const place = readFileSync(file, "utf8").split("ada,")[0]!.split("\n").length;
      const { error } = await server.run(`responses import shop ${file}`);
      expect(error.split("\n").slice(1)).toEqual([`  ${file}:${place}: email is not an e-mail address`]);
    }
  });

  it("takes the survey from a flag when the file has no survey column", async () => {
    using server = await withSurveys();
    const file = server.file("a.csv", "email,rating,at\nada@example.com,3,2025-03-01T12:00:00Z\n");
    expect((await server.run(`responses import shop ${file}`)).error).toContain("survey is missing");
    expect((await server.run(`responses import shop ${file} --survey satisfaction`)).code).toBe(0);
  });

  it("refuses an unknown column, and a file that is not CSV, without quoting it", async () => {
    using server = await withSurveys();
    const misspelt = server.file("a.csv", "email,raiting,at\nada@example.com,3,2025-03-01T12:00:00Z\n");
    const unknown = await server.run(`responses import shop ${misspelt}`);
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.error).toContain("raiting: is not a known column; use email, survey, rating, text, at");
    const broken = server.file("b.csv", 'email,rating,at\n"ada@example.com,3,2025-03-01T12:00:00Z\n');
    const refused = await server.run(`responses import shop ${broken} --survey satisfaction`);
    expect(refused.code).toBe(2);
    expect(refused.error).toMatch(/b\.csv:\d+: is not CSV \(CSV_QUOTE_NOT_CLOSED\)$/);
  });

  it.each([
    ["no text", ""],
    ["only a heading", "email,rating,at\n"],
  ])("refuses a file with %s", async (_, text) => {
    using server = await withSurveys();
    const file = server.file("a.csv", text);
    const { code, error } = await server.run(`responses import shop ${file} --survey satisfaction`);
    expect(code).toBe(2);
    expect(error).toContain("contains no responses");
  });
});

describe("responses export", () => {
  const rows = Array.from(
    { length: 1100 },
    (_, at) =>
      `p${at}@example.com,${at % 2 ? "satisfaction" : "loyalty"},3,2025-03-01T12:00:00Z,"line\n${at}",`,
  );

  async function withAnswers() {
    const server = await withSurveys();
    await server.run(`responses import shop ${server.file("answers.csv", csv(...rows))}`);
    return server;
  }

  it("writes each response as a JSON line into a file that only its owner can read", async () => {
    using server = await withAnswers();
    const file = server.file("out.jsonl");
    const { out } = await server.run(`responses export shop ${file}`);
    expect(out).toBe(`Wrote 1100 responses of shop to ${file}.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const told = lines.map((line) => JSON.parse(line) as { text: string; respondentId: string });
    expect(new Set(told.map(({ text }) => text)).size).toBe(1100);
    expect(told[0]!.respondentId).toMatch(/^imp_/);
  });

  it("replaces a file atomically, after asking, with one that only its owner can read", async () => {
    using server = await withAnswers();
    const file = server.file("out.jsonl", "kept");
    chmodSync(file, 0o644);
    const unknown = await server.run(`responses export shop ${file} --survey nothing --yes`);
    expect([unknown.code, readFileSync(file, "utf8")]).toEqual([3, "kept"]);
    await server.run(`responses export shop ${file}`, { typed: "replace" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(1100);
    const folder = await server.run(`responses export shop ${server.folder} --yes`);
    expect(folder.error).toContain("is not a regular file");
  });

  it("can be limited to one survey", async () => {
    using server = await withAnswers();
    const result = await server.run(
      `responses export shop ${server.file("o.jsonl")} --survey loyalty --json`,
    );
    expect(result.json()).toMatchObject({ projectId: "shop", responses: 550 });
    const unknown = await server.run(`responses export shop ${server.file("p.jsonl")} --survey nothing`);
    expect(unknown.code).toBe(3);
    expect(unknown.error).toContain("No survey of this project has this slug");
  });
});

describe("responses export --format csv", () => {
  const rows = [
    'ada@example.com,satisfaction,5,2025-03-01T12:00:00Z,"=HYPERLINK(""https://evil.example"",""You won"")",pro',
    'bob@example.com,satisfaction,1,2025-03-01T12:00:00Z,"slow, and ""rude""\nagain",',
    "cyd@example.com,satisfaction,2,2025-03-01T12:00:00Z,@import,",
    "dan@example.com,satisfaction,2,2025-03-01T12:00:00Z,+1,",
    "eve@example.com,satisfaction,2,2025-03-01T12:00:00Z,-1,",
  ];

  it("writes a heading and a row per response, without text that a spreadsheet reads as a formula", async () => {
    using server = await withSurveys();
    await server.run(`responses import shop ${server.file("answers.csv", csv(...rows))}`);
    const file = server.file("out.csv");
    expect((await server.run(`responses export shop ${file} --format csv`)).code).toBe(0);
    const records = parse(readFileSync(file, "utf8"), { columns: true }) as Record<string, string>[];
    expect(records.map(({ text }) => text)).toEqual([
      `'=HYPERLINK("https://evil.example","You won")`,
      'slow, and "rude"\nagain',
      "'@import",
      "'+1",
      "'-1",
    ]);
    expect(records[0]).toMatchObject({
      surveyId: "satisfaction",
      rating: "5",
      at: "2025-03-01T12:00:00.000Z",
      source: "imported",
      traits: '{"plan":"pro"}',
    });
  });

  it("has the session, the observation and the task type of each response", async () => {
    using server = await withSurveys();
    await using shop = await Shop.open({ database: server.database });
    const run = { sessionId: "session-1", observationId: "span-1", taskType: "refund" };
    await shop.server.seed("shop", [
      { survey: "satisfaction", rating: 5, ...run },
      { survey: "satisfaction", rating: 4, sessionId: null },
    ]);
    const { out } = await server.run("responses export shop - --format csv");
    expect(parse(out, { columns: true, skip_empty_lines: true })).toMatchObject([
      run,
      { sessionId: "", observationId: "", taskType: "" },
    ]);
  });

  it("writes only the rows to standard output for -", async () => {
    using server = await withSurveys();
    await server.run(`responses import shop ${server.file("answers.csv", csv(...rows))}`);
    const { code, out, error } = await server.run("responses export shop - --format csv");
    expect(code).toBe(0);
    expect(parse(out, { columns: true, skip_empty_lines: true })).toHaveLength(5);
    expect(error).toContain("Wrote 5 responses of shop.");
  });
});
