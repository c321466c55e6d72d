import { chmodSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnusableDatabase } from "../store-errors.ts";
import { openStore } from "../open-store.ts";
import { openingError } from "./sqlite-error.ts";

describe("a SQLite database that cannot be opened", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "afterword-opening-"));
    path = join(folder, "a.db");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is named when it is something else", async () => {
    writeFileSync(path, "something else, and long enough to be looked at. ".repeat(100));
    await expect(openStore(path)).rejects.toThrow(`The database ${path} is not a SQLite database.`);
  });

  it("is named when it is damaged, with what to do, and stays as it is", async () => {
    await (await openStore(path)).close();
    truncateSync(path, 10_000);
    const before = readFileSync(path);
    await expect(openStore(path)).rejects.toThrow(`The database ${path} is damaged: bring a backup back`);
    expect(readFileSync(path)).toEqual(before);
  });

  it.skipIf(process.getuid?.() === 0)("is named when it may not be written", async () => {
    await (await openStore(path)).close();
    chmodSync(path, 0o400);
    await expect(openStore(path)).rejects.toThrow(`The database ${path} cannot be written`);
  });

  it.each(["SQLITE_READONLY", "SQLITE_READONLY_DIRECTORY", "EACCES"])(
    "is a mistake of the settings with %s, and any other error stays as it is",
    (code) => {
      const error = Object.assign(new Error("attempt to write a readonly database"), { code });
      expect(openingError(error, path)).toBeInstanceOf(UnusableDatabase);
      const other = new Error("another");
      expect(openingError(other, path)).toBe(other);
    },
  );
});
