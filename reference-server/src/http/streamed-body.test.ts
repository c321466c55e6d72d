import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { streamedBody, type Timer } from "./streamed-body.ts";

function reply(chunks: AsyncIterable<string>) {
  const state = { closed: 0, isReleased: false };
  const release = async () => void (state.isReleased = true);
  const { signal } = new AbortController();
  const close = () => void state.closed++;
  return { state, reply: { chunks, release, close, signal, cut: signal, folder: tmpdir() } };
}

async function* words(...list: string[]) {
  yield* list;
}

/** A timer that a test lets run out. */
function manualTimer() {
  const pending: { run: () => void; delayInMs: number }[] = [];
  const timer: Timer = (run, delayInMs) => {
    const entry = { run, delayInMs };
    pending.push(entry);
    return { clear: () => void pending.splice(pending.indexOf(entry) >>> 0, 1) };
  };
  return { pending, timer };
}

describe("a streamed reply", () => {
  it("yields every chunk and closes its source once", async () => {
    const { state, reply: source } = reply(words("a", "b", "c"));
    expect(await new Response(streamedBody(source)).text()).toBe("abc");
    expect(state.closed).toBe(1);
  });

  it("releases its source even if the client reads nothing, and yields everything to a late reader", async () => {
    const released = Promise.withResolvers<void>();
    const rows = Array.from({ length: 300 }, (_, index) => `${index} ${"ü".repeat(10_000)}\n`);
    const { reply: source } = reply(words(...rows));
    const reader = streamedBody({ ...source, release: async () => released.resolve() }).getReader();
    await released.promise;
    const bytes: Uint8Array[] = [];
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) bytes.push(chunk.value);
    expect(Buffer.concat(bytes).toString()).toBe(rows.join(""));
  });

  it("leaves no file behind, and has no named file while it waits for its reader", async () => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-spool-"));
    const released = Promise.withResolvers<void>();
    const { reply: source } = reply(words(...Array.from({ length: 30 }, () => "x".repeat(100_000))));
    const release = async () => released.resolve();
    const reader = streamedBody({ ...source, release, folder }).getReader();
    await released.promise;
    expect(readdirSync(folder)).toEqual([]);
    await reader.cancel();
    rmSync(folder, { recursive: true });
  });

  it("is cut when its text cannot be buffered, so that it never looks complete", async () => {
    const { reply: source } = reply(words(...Array.from({ length: 30 }, () => "x".repeat(100_000))));
    const released = Promise.withResolvers<void>();
    const broken = { ...source, release: async () => released.resolve(), folder: "/nowhere" };
    const body = streamedBody(broken);
    await released.promise;
    await expect(new Response(body).text()).rejects.toThrow("ENOENT");
  });

  it("is cut by an error of its source, so that it never looks complete", async () => {
    async function* broken() {
      yield "a";
      throw new Error("the disk");
    }
    const { state, reply: source } = reply(broken());
    await expect(new Response(streamedBody(source)).text()).rejects.toThrow("the disk");
    expect(state.closed).toBe(1);
  });

  it("closes its source when the reader goes away", async () => {
    const { state, reply: source } = reply(words("a", "b"));
    const reader = streamedBody(source).getReader();
    await reader.read();
    await reader.cancel();
    expect(state.closed).toBe(1);
  });

  it("ends when its client disconnects before it begins to read, or had already disconnected", async () => {
    const { state, reply: source } = reply(words("a"));
    const going = new AbortController();
    streamedBody({ ...source, signal: going.signal });
    going.abort();
    await expect.poll(() => state.closed).toBe(1);
    streamedBody({ ...source, signal: going.signal });
    await expect.poll(() => state.closed).toBe(2);
  });

  it("is cut when it has to end, so that it never looks complete", async () => {
    const { state, reply: source } = reply(words("a", "b"));
    const ending = new AbortController();
    const reader = streamedBody({ ...source, cut: ending.signal }).getReader();
    await reader.read();
    ending.abort(new Error("Another export needs the place of this one."));
    await expect(reader.read()).rejects.toThrow("Another export");
    await expect.poll(() => state.closed).toBe(1);
  });

  it("is cut when its client reads less than 1 KiB per second for half a minute", async () => {
    const { pending, timer } = manualTimer();
    const { state, reply: source } = reply(words("a", "b".repeat(60 * 1024), "c"));
    const reader = streamedBody(source, timer).getReader();
    await reader.read();
    expect(pending.map(({ delayInMs }) => delayInMs)).toEqual([3_600_000, 30_000]);
    await reader.read();
    expect(pending.map(({ delayInMs }) => delayInMs)).toEqual([3_600_000, 60_000]);
    pending[1]!.run();
    await expect(reader.read()).rejects.toThrow("too slow");
    await expect.poll(() => state.closed).toBe(1);
  });

  it("is cut after an hour, however fast its client reads", async () => {
    const { pending, timer } = manualTimer();
    const { state, reply: source } = reply(words("a", "b"));
    const reader = streamedBody(source, timer).getReader();
    await reader.read();
    pending[0]!.run();
    await expect(reader.read()).rejects.toThrow("too long");
    await expect.poll(() => state.closed).toBe(1);
  });
});
