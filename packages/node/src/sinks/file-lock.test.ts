import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lockFile } from "./file-lock.ts";

let count = 0;
const someFile = () => `/somewhere/${process.pid}-${(count += 1)}.jsonl`;

describe.each(["linux", "darwin"] as const)("a file taken for one process on %s", (system) => {
  it("cannot be taken twice, and can be taken again when it was let go", async () => {
    const path = someFile();
    const first = await lockFile(path, system);
    expect(first).not.toBeNull();
    expect(await lockFile(path, system)).toBeNull();
    await first?.release();
    const second = await lockFile(path, system);
    expect(second).not.toBeNull();
    await second?.release();
  });

  it("leaves other files free", async () => {
    const locks = [await lockFile(someFile(), system), await lockFile(someFile(), system)];
    expect(locks).not.toContain(null);
    for (const lock of locks) await lock?.release();
  });
});

describe("a lock that a crash has left in the file system", () => {
  it("is taken over, since no process answers on it", async () => {
    const path = someFile();
    const name = `afterword-${createHash("sha256").update(path).digest("hex").slice(0, 32)}.sock`;
    await writeFile(join(tmpdir(), name), "");
    const lock = await lockFile(path, "darwin");
    expect(lock).not.toBeNull();
    await lock?.release();
  });
});
