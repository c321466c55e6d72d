import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../store-unavailable.ts";
import { Reserve } from "./reserve.ts";

const failure = (code: string) =>
  new StoreUnavailable("not now", { cause: Object.assign(new Error(code), { code }) });

describe("the reserve for a full disk", () => {
  let folder: string;
  let database: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "afterword-reserve-"));
    database = join(folder, "a.db");
    file = `${database}.reserve`;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Fails as often as there are codes; notes whether the reserve was there each time. */
  const work = (codes: string[], wasThere: boolean[]) => async () => {
    wasThere.push(existsSync(file));
    const code = codes.shift();
    if (code) throw failure(code);
    return "done";
  };

  it("is a file of four MiB beside the database that nobody else can read", () => {
    Reserve.keptFor(database);
    expect([statSync(file).size, statSync(file).mode & 0o777]).toEqual([4 * 1024 * 1024, 0o600]);
  });

  it("is given up when the disk is full, for one more try, and kept again afterwards", async () => {
    const reserve = Reserve.keptFor(database);
    const wasThere: boolean[] = [];
    expect(await reserve.freeing(work(["SQLITE_FULL"], wasThere))).toBe("done");
    expect(wasThere).toEqual([true, false]);
    expect(existsSync(file)).toBe(true);
  });

  it("stays where it is for every other trouble", async () => {
    const wasThere: boolean[] = [];
    const run = Reserve.keptFor(database).freeing(work(["SQLITE_BUSY"], wasThere));
    await expect(run).rejects.toThrow("not now");
    expect(wasThere).toEqual([true]);
  });

  it("helps once: a disk that is still full is an error, and so is one without a reserve", async () => {
    const reserve = Reserve.keptFor(database);
    await expect(reserve.freeing(work(["SQLITE_FULL", "SQLITE_FULL"], []))).rejects.toThrow("not now");
    const wasThere: boolean[] = [];
    await expect(Reserve.keptFor(undefined).freeing(work(["SQLITE_FULL"], wasThere))).rejects.toThrow(
      "not now",
    );
    expect(wasThere).toHaveLength(1);
  });

  it("can be spent by what must run in one go, and is kept again whatever became of that", () => {
    Reserve.keptFor(database);
    const reserve = Reserve.beside(database);
    expect(reserve.spendOn(() => existsSync(file))).toBe(false);
    const failing = () => {
      throw failure("SQLITE_FULL");
    };
    expect(() => reserve.spendOn(failing)).toThrow("not now");
    expect(existsSync(file)).toBe(true);
  });

  it("is not made where there was none to spend", () => {
    expect(Reserve.beside(database).spendOn(() => true)).toBeUndefined();
    expect(existsSync(file)).toBe(false);
  });

  it("of another process is left as it is", () => {
    writeFileSync(file, "another's");
    Reserve.keptFor(database);
    expect(statSync(file).size).toBe(9);
  });
});
