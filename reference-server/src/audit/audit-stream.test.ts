import { describe, expect, it } from "vitest";
import { openAuditStream } from "./audit-stream.ts";
import { Audit } from "./audit-trail.ts";

const clock = { now: () => Date.parse("2026-03-01T12:00:00.000Z") };
const actor = { act: "c1", command: "key create", operator: "ada", host: "node-1" };
const intent = { action: "key-create", projectId: "shop", keyKind: "secret" } as const;

/** Standard error with the answers that its flushes give, one after the other. */
function stage(...answers: boolean[]) {
  const lines: string[] = [];
  const flush = async () => answers.shift() ?? true;
  const audit = new Audit(openAuditStream({ write: (line) => void lines.push(line), flush }, clock), actor);
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
    const audit = new Audit(openAuditStream(stalled, clock), actor);
    const reading = { action: "export", respondents: [], isWholeProject: true, counts: {} } as const;
    await expect(audit.change(intent, async () => "key")).rejects.toThrow("Nothing was changed.");
    await expect(audit.reading(reading)).rejects.toThrow("Could not write the audit line");
  });

  it("says that the act is done when only its last line is not taken", async () => {
    const { audit } = stage(true, false);
    await expect(audit.change(intent, async () => "key")).rejects.toThrow(/The act itself is done\.$/);
  });
});
