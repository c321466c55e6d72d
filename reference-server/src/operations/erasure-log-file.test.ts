import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ErasureEntry } from "../domain/erasure-log.ts";
import { openErasureLog, readErasureLog } from "./erasure-log-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "afterword-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (respondent: string): ErasureEntry => ({
  at: "2026-03-01T12:00:00.000Z",
  projectId: "shop",
  mode: "respondent",
  respondents: [respondent],
});

describe("the erasure log", () => {
  it("keeps what was appended, in order, over restarts and from several processes", async () => {
    const path = join(folder, "log.jsonl");
    const [one, two] = [openErasureLog(path), openErasureLog(path)];
    await one.append(entry("a"));
    await two.append(entry("b"));
    await one.append(entry("c"));
    await one.close();
    await two.close();
    const again = openErasureLog(path);
    await again.append(entry("d"));
    await again.close();
    expect(readErasureLog(path).flatMap(({ respondents }) => respondents)).toEqual(["a", "b", "c", "d"]);
  });

  it("can be read by its owner alone", async () => {
    const path = join(folder, "log.jsonl");
    await openErasureLog(path).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("passes over a last line that was cut off: that erasure was answered with a failure", () => {
    const path = join(folder, "log.jsonl");
    writeFileSync(path, `${JSON.stringify(entry("a"))}\n{"at":"2026-`);
    expect(readErasureLog(path)).toEqual([entry("a")]);
  });

  it("refuses a damaged line anywhere else", () => {
    const path = join(folder, "log.jsonl");
    writeFileSync(path, `${JSON.stringify(entry("a"))}\n{"at":"2026-\n${JSON.stringify(entry("b"))}\n`);
    expect(() => readErasureLog(path)).toThrow("Line 2 of the erasure log");
  });

  it("says so when it cannot be written or read", () => {
    expect(() => openErasureLog(join(folder, "nowhere/log.jsonl"))).toThrow("cannot be written");
    expect(() => readErasureLog(join(folder, "nothing.jsonl"))).toThrow("cannot be read");
  });
});
