import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openAuditFile } from "./audit-file.ts";
import { auditFields } from "./audit-trail.ts";
import { type AuditEvent } from "../log/events.ts";

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
