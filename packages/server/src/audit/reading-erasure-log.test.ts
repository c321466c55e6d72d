import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailable } from "@afterword/reference-server/internal";
import { type ErasureEntry, openErasureLog, readErasureLog } from "./erasure-log.ts";

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

const respondentsOf = (path: string) => readErasureLog(path).flatMap(({ respondents }) => respondents);

describe("the erasure log", () => {
  it("keeps entries in order, across restarts and from several processes", async () => {
    const path = join(folder, "log.jsonl");
    const [one, two] = [openErasureLog(path), openErasureLog(path)];
    await one.append(entry("a"));
    await two.append(entry("b"));
    await one.append(entry("c"));
    const again = openErasureLog(path);
    await again.append(entry("d"));
    expect(respondentsOf(path)).toEqual(["a", "b", "c", "d"]);
  });

  it("can be read only by its owner", async () => {
    const path = join(folder, "log.jsonl");
    openErasureLog(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("skips an incomplete last line, whose erasure was answered with an error", () => {
    const path = join(folder, "log.jsonl");
    writeFileSync(path, `${JSON.stringify(entry("a"))}\n{"at":"2026-`);
    expect(readErasureLog(path)).toEqual([entry("a")]);
  });

  it.each([0, 1, 8, 9, 10, 60, 91])(
    "fails an erasure when a full disk stored only %i bytes of its line, and keeps later ones",
    async (room) => {
      const path = join(folder, "log.jsonl");
      let isFull = false;
      const log = openErasureLog(path, (descriptor, bytes) =>
        writeSync(descriptor, bytes, 0, isFull ? room : bytes.length),
      );
      await log.append(entry("a"));
      isFull = true;
      for (let tries = 0; tries < 3; tries++) {
        const failure = await log.append(entry("b")).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(StoreUnavailable);
      }
      expect(respondentsOf(path)).toEqual(["a"]);
      isFull = false;
      await log.append(entry("c"));
      expect(respondentsOf(path)).toEqual(["a", "c"]);
    },
  );

  it("ends a line that a crash cut off before it appends another", async () => {
    const path = join(folder, "log.jsonl");
    writeFileSync(path, `${JSON.stringify(entry("a"))}\n{"at":"2026-`);
    const [one, two] = [openErasureLog(path), openErasureLog(path)];
    await two.append(entry("b"));
    await one.append(entry("c"));
    expect(respondentsOf(path)).toEqual(["a", "b", "c"]);
    expect(readFileSync(path, "utf8").split("\n").slice(1, 3)).toEqual([
      '{"at":"2026-#cut-off',
      JSON.stringify(entry("b")),
    ]);
  });

  it("keeps what another process appends behind an incomplete line", async () => {
    const path = join(folder, "log.jsonl");
    const other = openErasureLog(path);
    let theirs: Promise<void> | undefined;
    const full = openErasureLog(path, (descriptor, bytes) => {
      const written = writeSync(descriptor, bytes, 0, 30);
      theirs = other.append(entry("theirs"));
      return written;
    });
    await expect(full.append(entry("ours"))).rejects.toThrow("the erasure log cannot be written");
    await theirs;
    expect(respondentsOf(path)).toEqual(["theirs"]);
  });

  it("reads a last line without a line break, as editors leave it", async () => {
    const path = join(folder, "log.jsonl");
    writeFileSync(path, JSON.stringify(entry("a")));
    expect(respondentsOf(path)).toEqual(["a"]);
    openErasureLog(path);
    expect(respondentsOf(path)).toEqual(["a"]);
  });

  it("refuses a file that is not an erasure log", () => {
    const path = join(folder, "afterword.db");
    const text = "SQLite format 3\0";
    writeFileSync(path, text);
    expect(() => openErasureLog(path)).toThrow("it holds something else; choose another path.");
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("reports that it could not be written or read", () => {
    expect(() => openErasureLog(join(folder, "nowhere/log.jsonl"))).toThrow(
      "Could not write to the erasure log",
    );
    expect(() => readErasureLog(join(folder, "nothing.jsonl"))).toThrow("Could not read the erasure log");
  });
});
