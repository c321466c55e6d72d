import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openAuditFile, openAuditTrail } from "./open-audit-trail.ts";
import { Audit, type AuditEvent, auditFields } from "./audit-trail.ts";

const root = mkdtempSync(join(tmpdir(), "afterword-audit-"));
afterAll(() => rmSync(root, { recursive: true }));

let path: string;
beforeEach(() => (path = join(mkdtempSync(join(root, "one-")), "audit.jsonl")));

const clock = { now: () => Date.parse("2026-03-01T12:00:00.000Z") };
const linesOf = (file = path) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
const erasure = {
  kind: "audit",
  act: "r1",
  action: "erase",
  requestId: "r1",
  keyId: "key_1",
  host: "node-1",
  projectId: "shop",
  respondents: ["hash"],
  isWholeProject: false,
  counts: { responsesDeleted: 2 },
  outcome: "done",
} satisfies AuditEvent;

describe("an audit line", () => {
  it("has the fields that docs/operate/audit.md documents, in their order", async () => {
    await openAuditFile(path, clock).append(erasure);
    expect(linesOf()).toEqual([
      '{"time":"2026-03-01T12:00:00.000Z","event":"audit","what":"erase","who":"key_1","host":"node-1","project":"shop",' +
        '"outcome":"done","act":"r1","details":{"requestId":"r1","respondents":["hash"],"isWholeProject":false,"counts":{"responsesDeleted":2}}}',
    ]);
  });

  it("names the account of a command, and says when the act ended early", () => {
    const { keyId: _, requestId: __, ...rest } = erasure;
    const actor = { act: "c1", command: "project purge", operator: "ada" };
    expect(auditFields({ ...rest, ...actor, outcome: "failed" })).toMatchObject({
      who: "ada",
      outcome: "failed",
      act: "c1",
      details: { command: "project purge" },
    });
  });
});

describe("the audit file", () => {
  it("is private, and has the line once the promise resolves", async () => {
    const file = openAuditFile(path, clock);
    expect([statSync(path).mode & 0o777, linesOf()]).toEqual([0o600, []]);
    await file.append(erasure);
    expect(linesOf()).toHaveLength(1);
  });

  it("begins anew once a collector has renamed it, and no line is lost", async () => {
    const file = openAuditFile(path, clock);
    await file.append(erasure);
    renameSync(path, `${path}.1`);
    await file.append(erasure);
    expect([linesOf(`${path}.1`).length, linesOf().length]).toEqual([1, 1]);
  });

  it("takes lines of several writers at once, each whole", async () => {
    const files = [1, 2, 3].map(() => openAuditFile(path, clock));
    await Promise.all(Array.from({ length: 60 }, (_, index) => files[index % 3]!.append(erasure)));
    expect(new Set(linesOf()).size).toBe(1);
    expect(linesOf()).toHaveLength(60);
  });

  it("that cannot be written fails the act, and the line after one that was cut off stands alone", async () => {
    const file = openAuditFile(path, clock);
    rmSync(path);
    mkdirSync(path);
    await expect(file.append(erasure)).rejects.toThrow(`Could not write to the audit file ${path}: EISDIR`);
    rmSync(path, { recursive: true });
    writeFileSync(path, '{"time":"2026');
    await file.append(erasure);
    expect(linesOf().map((line) => line.length > 100)).toEqual([false, true]);
  });

  it("is refused at start where nothing can be written, and where something else is", () => {
    expect(() => openAuditFile(join(path, "audit.jsonl"), clock)).toThrow(
      "Could not write to the audit file",
    );
    writeFileSync(path, "SQLite format 3");
    expect(() => openAuditFile(path, clock)).toThrow("it holds something else; choose another path.");
    expect(readFileSync(path, "utf8")).toBe("SQLite format 3");
  });
});

const actor = { act: "c1", command: "key create", operator: "ada", host: "node-1" };
const intent = { action: "key-create", projectId: "shop", keyKind: "secret" } as const;

/** Standard error with the answers that its flushes give, one after the other. */
function stage(...answers: boolean[]) {
  const lines: string[] = [];
  const flush = async () => answers.shift() ?? true;
  const audit = new Audit(
    openAuditTrail(undefined, { write: (line) => void lines.push(line), flush }, clock),
    actor,
  );
  const outcomes = () => lines.map((line) => (JSON.parse(line) as { outcome: string }).outcome);
  return { lines, audit, outcomes };
}

describe("the audit on standard error", () => {
  it("has a line before an act and one after it, which the log's readers understand", async () => {
    const { audit, lines } = stage();
    const done = audit.change(intent, async (addResults) => {
      expect(lines).toHaveLength(1);
      addResults({ keyId: "key_1" });
      return "key";
    });
    expect(await done).toBe("key");
    const line = (outcome: string, details: string) =>
      `{"level":"info","time":"2026-03-01T12:00:00.000Z","event":"audit","what":"key-create","who":"ada","host":"node-1",` +
      `"project":"shop","outcome":"${outcome}","act":"c1","details":{"command":"key create",${details}}}\n`;
    expect(lines).toEqual([
      line("started", `"keyKind":"secret"`),
      line("done", `"keyKind":"secret","keyId":"key_1"`),
    ]);
  });

  it("says of an act that failed what it had learned until then, and lets its error through", async () => {
    const { audit, lines, outcomes } = stage();
    const failing = audit.change(intent, async (addResults) => {
      addResults({ keyId: "key_1" });
      throw new Error("The connection was lost.");
    });
    await expect(failing).rejects.toThrow("The connection was lost.");
    expect([outcomes(), lines[1]!.includes("key_1")]).toEqual([["started", "failed"], true]);
  });

  it("refuses the act while nobody takes its first line, and says so to a reader that goes on", async () => {
    const { audit, outcomes } = stage(false);
    let isDone = false;
    const refused = audit.change(intent, async () => (isDone = true));
    await expect(refused).rejects.toThrow(/^Could not write the audit line .* Nothing was changed\.$/);
    expect([isDone, outcomes()]).toEqual([false, ["started", "failed"]]);
  });

  it("refuses an act or a reading after one wait for the reader, not two", async () => {
    let flushes = 0;
    const stalled = {
      write: () => undefined,
      flush: () => (flushes++ % 2 ? new Promise<never>(() => undefined) : Promise.resolve(false)),
    };
    const audit = new Audit(openAuditTrail(undefined, stalled, clock), actor);
    const reading = { action: "export", respondents: [], isWholeProject: true, counts: {} } as const;
    await expect(audit.change(intent, async () => "key")).rejects.toThrow("Nothing was changed.");
    await expect(audit.reading(reading)).rejects.toThrow("Could not write the audit line");
  });

  it("says that the act is done when only its last line is not taken", async () => {
    const { audit } = stage(true, false);
    await expect(audit.change(intent, async () => "key")).rejects.toThrow(/The act itself is done\.$/);
  });
});
