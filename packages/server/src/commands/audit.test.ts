import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { type CommandUnknownOpts } from "@commander-js/extra-typings";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AfterwordServer, noon, survey, type Outcome } from "./afterword-server.fixture.ts";
import { UsageError } from "@afterword/reference-server/internal";
import { createProgram } from "./program.ts";
import { Shop } from "./shop.fixture.ts";
import { type Terminal } from "./terminal.ts";

interface Line {
  what: string;
  details: { respondents: string[]; keyId: string };
  [field: string]: unknown;
}

const linesOf = ({ log }: Outcome) => log.map((line) => JSON.parse(line) as Line);
const visit = { ...survey("visit"), status: "active" };
const store = { id: "store", name: "Store", allowedOrigins: ["https://new.example"], surveys: [visit] };
const everything = { respondents: [], isWholeProject: true };

/** What only reads, and gives nothing out before its line. */
const readings = ["subject-report", "export", "read-texts"];

/**
 * Every command that reads people's answers, or changes something, with what its last audit line says; in this order, since the
 * last ones leave nothing. CONFIG and the like are files.
 */
const acts: [words: string, what: string, details: object, project?: string][] = [
  ["project create store", "project-create", { changed: { gating: {} } }, "store"],
  ["apply CONFIG", "config", { changed: { projects: ["store"], keys: [], surveys: ["store/visit"] } }],
  [
    "key create store publishable --expires 90d",
    "key-create",
    { keyKind: "publishable", expiresAt: new Date(noon + 90 * 86_400_000).toISOString() },
    "store",
  ],
  ["key revoke KEY --yes", "key-revoke", { keyKind: "secret" }, "store"],
  [
    "key rotate-master",
    "master-key-rotate",
    { masterKeys: [{}, { validUntil: "2026-03-31T12:02:00.000Z" }] },
  ],
  ["responses import store ANSWERS", "import", { ...everything, counts: { lines: 1, added: 1 } }, "store"],
  [
    "subject-report shop --respondent ada",
    "subject-report",
    { counts: { responses: 1, dismissals: 1 } },
    "shop",
  ],
  [
    "responses export shop ROWS --survey satisfaction",
    "export",
    { surveySlug: "satisfaction", isWholeProject: false, counts: { responses: 2 } },
    "shop",
  ],
  ["results --project shop --html PAGE", "read-texts", { counts: { comments: 1 } }, "shop"],
  [
    "retention --clock-is-right --yes",
    "retention",
    { hasAcceptedClock: true, counts: { responsesDeleted: 0 } },
  ],
  ["backup COPY", "backup", everything],
  ["restore --without-erasure-log", "restore", { counts: { erasures: 0, skipped: 0, responsesDeleted: 0 } }],
  [
    "project purge shop --yes",
    "erase",
    { ...everything, counts: { responsesDeleted: 2, dismissalsDeleted: 1 } },
    "shop",
  ],
];

/** Commands without an audit line, and why. */
const others: Record<string, string> = {
  "project list": "tells settings",
  "key list": "tells ids of keys",
  "survey list": "tells definitions",
  "doctor": "tells the state of the service",
  "watch": "tells scores and numbers of people",
  "audit verify": "tells which lines are genuine",
  "dev": "is for development, with data of its own",
  "migrate": "changes the schema alone, as each new version does",
  "serve": "audits what its config file changes and what requests do",
};

/** The full names of all commands. */
function namesOf(command: CommandUnknownOpts, before = ""): string[] {
  const name = `${before} ${command.name()}`.trim();
  return command.commands.length === 0 ? [name] : command.commands.flatMap((child) => namesOf(child, name));
}

describe("the audit of commands", () => {
  let server: AfterwordServer;
  let words: (template: string) => string;

  beforeAll(async () => {
    server = new AfterwordServer();
    await using shop = await Shop.open({ database: server.database, clock: { now: () => noon - 60_000 } });
    await shop.answer({ respondentId: "ada", text: "words of ada" });
    await shop.answer({ respondentId: "bob" });
    appendFileSync(`${server.database}.key`, "f".repeat(64));
    await shop.dismiss({ respondentId: "ada", surveyId: "ease" });
    const files: Record<string, string> = {
      CONFIG: server.file("config.json", JSON.stringify({ projects: [store] })),
      ANSWERS: server.file("a.csv", "email,rating,at,survey\nmia@example.com,3,2025-03-01T12:00:00Z,visit\n"),
      ROWS: server.file("rows.jsonl"),
      PAGE: server.file("results.html"),
      COPY: server.file("copy.db"),
    };
    words = (template) => template.replace(/\b[A-Z]{4,}\b/, (name) => files[name] ?? name);
  });
  afterAll(() => server[Symbol.dispose]());

  it("has a line of every command of the program, but of those that only tell settings", () => {
    const all = createProgram({} as Terminal, "").commands.flatMap((command) => namesOf(command));
    const audited = all.filter((name) => acts.some(([typed]) => typed.startsWith(name)));
    expect([...audited, ...Object.keys(others)].toSorted()).toEqual(all.toSorted());
  });

  const revocable = async () => {
    const { keys } = (await server.run("key list store --json")).json() as {
      keys: { id: string; kind: string }[];
    };
    return keys.find(({ kind }) => kind === "secret")!.id;
  };

  it.each(acts)(
    "has a line, and a change one before it, with account, host and command: `%s`",
    async (template, what, details, project) => {
      const typed = template.includes("KEY") ? template.replace("KEY", await revocable()) : words(template);
      const outcome = await server.run(typed);
      expect([outcome.code, outcome.error.includes("Failed")]).toEqual([0, false]);
      const lines = linesOf(outcome);
      const line = lines.at(-1);
      expect(lines.map(({ outcome }) => outcome)).toEqual([
        ...(readings.includes(what) ? [] : ["started"]),
        "done",
      ]);
      for (const field of ["what", "who", "host", "project", "act"])
        expect(lines[0]![field]).toBe(line![field]);
      expect(line).toMatchObject({
        time: new Date(noon).toISOString(),
        event: "audit",
        what,
        who: "operator-of-the-tests",
        host: "machine-of-the-tests",
        outcome: "done",
        details,
        ...(project !== undefined && { project }),
      });
      expect(typed).toContain((line!.details as unknown as { command: string }).command);
      expect(outcome.log.join("")).not.toMatch(/\b(?:ada|mia)\b|aw_[ps]k_/);
    },
  );

  it("names a person by a keyed hash, which is always the same", async () => {
    const report = () => server.run("subject-report store --respondent ada --email ada@example.com");
    const [[one], [other]] = [linesOf(await report()), linesOf(await report())];
    const hash = expect.stringMatching(/^[\w-]{22}$/) as unknown;
    expect(one!.details.respondents).toEqual([hash, hash]);
    expect(other!.details.respondents).toEqual(one!.details.respondents);
  });

  it("says that a change failed that was refused once it had begun", async () => {
    const outcome = await server.run("key rotate-master");
    expect(outcome.code).toBe(3);
    expect(linesOf(outcome)).toMatchObject([
      { what: "master-key-rotate", outcome: "started" },
      { what: "master-key-rotate", outcome: "failed" },
    ]);
  });

  it.each([
    ["backup COPY --yes", "backup"],
    ["restore COPY --erasure-log LOG --yes", "restore"],
  ])("says that `%s` failed, which was interrupted", async (template, what) => {
    const log = { at: new Date(noon).toISOString(), projectId: "shop", mode: "account", epoch: 1 };
    server.file("LOG", `${JSON.stringify(log)}\n`);
    const typed = words(template).replace("LOG", server.file("LOG"));
    const interruption = AbortSignal.abort(new UsageError("Interrupted before it was done."));
    const outcome = await server.run(typed, { interruption });
    expect([outcome.code, outcome.error]).toEqual([3, "Interrupted before it was done."]);
    expect(linesOf(outcome)).toMatchObject([
      { what, outcome: "started" },
      { what, outcome: "failed" },
    ]);
  });

  it.each([
    ["subject-report shop", "got no person"],
    ["responses export nowhere rows.jsonl", "does not find the project"],
    ["responses import store a.csv --dry-run --survey nowhere", "finds no survey"],
    ["project purge shop", "is not confirmed"],
    ["retention", "is not confirmed"],
    ["backup nowhere/copy.db", "has no folder to copy into"],
    ["project list", "reads no answers"],
  ])("has no line when a command did nothing: `%s` %s", async (typed) => {
    expect((await server.run(typed)).log).toEqual([]);
  });

  it("goes to the audit file, if there is one, and no longer to the log", async () => {
    const file = server.file("audit.jsonl");
    const { log } = await server.run(`key create store secret --audit-file ${file}`);
    await server.run("key create store secret", { environment: { AFTERWORD_AUDIT_FILE: file } });
    expect(log).toEqual([]);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    expect(Object.keys(JSON.parse(lines[0]!) as object)).toEqual([
      "time",
      "event",
      "what",
      "who",
      "host",
      "project",
      "outcome",
      "act",
      "details",
      "chain",
    ]);
  });

  it("is needed: with a file that cannot be written a command changes nothing", async () => {
    const before = (await server.run("key list store --json")).json();
    mkdirSync(server.file("folder"), { recursive: true });
    for (const file of [server.file("folder"), server.file("notes.txt", "SQLite")]) {
      const { code, error } = await server.run(`key create store secret --audit-file ${file}`);
      expect([code, error.split("\n").length]).toEqual([3, 1]);
      expect(error).toContain(`Could not write to the audit file ${file}`);
    }
    expect((await server.run("key list store --json")).json()).toEqual(before);
  });
});
