import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { privateFile } from "./private-file.ts";

describe("the private file of a database in memory", () => {
  let base: string;
  beforeEach(() => (base = mkdtempSync(join(tmpdir(), "afterword-private-"))));
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const age = (folder: string, minutes: number) => {
    const then = new Date(Date.now() - minutes * 60_000);
    utimesSync(folder, then, then);
  };

  it("stands in a folder of its own, and goes with it", () => {
    const [one, other] = [privateFile(base), privateFile(base)];
    expect(dirname(one.path)).not.toBe(dirname(other.path));
    one.remove();
    expect(readdirSync(base)).toHaveLength(1);
  });

  it("has nothing to do with what it did not make", () => {
    mkdirSync(join(base, "afterword-other"));
    symlinkSync(join(base, "afterword-other"), join(base, "afterword-memory-link"));
    for (const name of ["afterword-other"]) age(join(base, name), 10_000);
    privateFile(base);
    expect(readdirSync(base)).toEqual(expect.arrayContaining(["afterword-other", "afterword-memory-link"]));
  });
});
