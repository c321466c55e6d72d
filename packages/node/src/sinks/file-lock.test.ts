import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lockFile } from "./file-lock.ts";

let count = 0;
const someFile = () => `/somewhere/${process.pid}-${(count += 1)}.jsonl`;

describe.each(["linux", "darwin"] as const)("a file locked for one process on %s", (system) => {
  it("is locked by the next one when it was released, and by none before", async () => {
    const path = someFile();
    const steps: string[] = [];
    const first = await lockFile(path, system);
    const second = lockFile(path, system).then((lock) => {
      steps.push("second");
      return lock;
    });
    // Locking another file takes as many turns of the event loop as the second one would need.
    for (let turn = 0; turn < 20; turn += 1)
      await (await lockFile(someFile(), system))[Symbol.asyncDispose]();
    steps.push("released");
    await first[Symbol.asyncDispose]();
    await (await second)[Symbol.asyncDispose]();
    expect(steps).toEqual(["released", "second"]);
  });

  it("leaves other files free", async () => {
    await using first = await lockFile(someFile(), system);
    await using second = await lockFile(someFile(), system);
    expect(first).not.toBe(second);
  });
});

describe("a lock that a crash has left in the file system", () => {
  it("is taken over, since no process answers on it", async () => {
    const path = someFile();
    const name = `afterword-${createHash("sha256").update(path).digest("hex").slice(0, 32)}.sock`;
    await writeFile(join(tmpdir(), name), "");
    await using lock = await lockFile(path, "darwin");
    expect(lock).toBeDefined();
  });
});
