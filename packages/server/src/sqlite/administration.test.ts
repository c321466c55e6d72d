import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../postgres/open-store.ts";
import { type OperatedStore } from "../store/administration.ts";

describe("what operators write to SQLite", () => {
  let folder: string;
  let store: OperatedStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "afterword-operated-"));
    store = await openStore(join(folder, "a.db"));
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it("is refused once the database is no longer at its path", async () => {
    renameSync(join(folder, "a.db"), join(folder, "old.db"));
    await expect(store.administration.changeAgreement("name", "value")).rejects.toThrow(
      "was moved, replaced or removed",
    );
  });

  it("is finished before the database closes", async () => {
    const written = store.administration.changeAgreement("name", "value");
    await Promise.all([written, store.close()]);
    store = await openStore(join(folder, "a.db"));
    expect(await store.administration.agreement("name")).toBe("value");
  });
});
