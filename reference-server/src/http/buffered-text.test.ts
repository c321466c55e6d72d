import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { StoreUnavailable } from "../store/store-errors.ts";
import { bufferedText } from "./buffered-text.ts";

async function* all(texts: readonly string[]) {
  yield* texts;
}

const large = Array.from({ length: 300 }, (_, index) => `${index} ${"ü".repeat(10_000)}\n`);
const { signal } = new AbortController();

describe("text that waits for its reader", () => {
  it.each([
    ["little", ["a", "b", "c"]],
    ["much", large],
  ])("is complete and in order, were it %s", async (_, texts) => {
    const buffered = await bufferedText(all(texts), tmpdir(), signal);
    expect(await textOf(buffered)).toBe(texts.join(""));
  });

  it("is in no file that has a name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-buffered-"));
    const buffered = await bufferedText(all(large), folder, signal);
    expect(readdirSync(folder)).toEqual([]);
    buffered.destroy();
    rmSync(folder, { recursive: true });
  });

  it("needs no file for a MiB, and without room for more the database counts as unavailable", async () => {
    const little = await bufferedText(all(["a"]), "/nowhere", signal);
    expect(await textOf(little)).toBe("a");
    await expect(bufferedText(all(large), "/nowhere", signal)).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it("fails as its source does", async () => {
    async function* broken() {
      yield "a";
      throw new Error("the disk");
    }
    await expect(bufferedText(broken(), tmpdir(), signal)).rejects.toThrow("the disk");
  });

  it("is not read any further once its client has gone", async () => {
    let read = 0;
    async function* endless() {
      for (;;) yield String(read++);
    }
    const going = new AbortController();
    const buffering = bufferedText(endless(), tmpdir(), going.signal);
    going.abort();
    await expect(buffering).rejects.toThrow("disconnected");
  });
});
