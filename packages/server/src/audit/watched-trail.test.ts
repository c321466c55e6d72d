import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openAuditFile } from "./open-audit-trail.ts";
import { type AuditEvent, type ServerEvent } from "./audit-trail.ts";
import { watchedTrail } from "./watched-trail.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-watched-"));
const path = join(folder, "audit.jsonl");
afterEach(() => rmSync(path, { recursive: true, force: true }));

const line: AuditEvent = {
  kind: "audit",
  act: "r1",
  action: "key-revoke",
  command: "key revoke",
  operator: "ada",
  keyId: "key_1",
  keyKind: "secret",
  host: "node-1",
  outcome: "done",
};

/** An audit file whose path a folder may take, as if its disk were gone. */
function stage() {
  let now = Date.parse("2026-03-01T12:00:00.000Z");
  const clock = { now: () => now };
  const events: ServerEvent[] = [];
  const emit = (event: ServerEvent) => void events.push(event);
  const trail = watchedTrail(openAuditFile(path, clock), { emit }, clock, "node-1");
  const lines = () => readFileSync(path, "utf8").trim().split("\n");
  const lose = () => {
    rmSync(path);
    mkdirSync(path);
  };
  const bringBack = () => rmSync(path, { recursive: true });
  return { trail, events, lines, lose, bringBack, pass: (ms: number) => (now += ms) };
}

describe("an audit file that cannot be written", () => {
  it("is a warning that says what and why, once, and a problem until a line is written", async () => {
    const { trail, events, lose, bringBack, pass } = stage();
    await trail.append(line);
    expect([trail.problem, events]).toEqual([undefined, []]);
    lose();
    for (const attempt of ["first", "second"])
      await expect(trail.append(line), attempt).rejects.toThrow("EISDIR");
    expect(trail.problem).toContain(`Could not write to the audit file ${path}: EISDIR`);
    expect(events).toEqual([{ kind: "warning", message: expect.stringContaining(trail.problem!) }]);
    bringBack();
    pass(5000);
    await trail.append(line);
    expect(trail.problem).toBeUndefined();
    const resumed = { task: "audit lines are written again", counts: { failedForSeconds: 5 } };
    expect(events.slice(1)).toEqual([{ kind: "task", ...resumed }]);
  });

  it("is noticed by a check before an act needs it, which writes nothing while all is well", async () => {
    const { trail, events, lines, lose } = stage();
    await trail.append(line);
    await trail.check();
    expect(lines()).toHaveLength(1);
    lose();
    await trail.check();
    expect(events).toEqual([{ kind: "warning", message: expect.stringContaining("EISDIR") }]);
  });

  it("takes a line of the next check that says since when others may be missing", async () => {
    const { trail, lines, lose, bringBack, pass } = stage();
    lose();
    await expect(trail.append(line)).rejects.toThrow("EISDIR");
    pass(60_000);
    await trail.check();
    expect(trail.problem).toBeDefined();
    bringBack();
    pass(60_000);
    await trail.check();
    expect(trail.problem).toBeUndefined();
    expect(lines().map((text) => JSON.parse(text) as object)).toEqual([
      expect.objectContaining({
        time: "2026-03-01T12:02:00.000Z",
        what: "audit-resumed",
        who: "audit check",
        outcome: "done",
        details: { command: "serve", failingSince: "2026-03-01T12:00:00.000Z" },
      }),
    ]);
  });
});
