import { describe, expect, it } from "vitest";
import { streamedBody, type Timer } from "./streamed-body.ts";

function reply(chunks: AsyncIterable<string>) {
  const state = { closed: 0 };
  return { state, reply: { chunks, close: async () => void state.closed++ } };
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
  it("gives every chunk and closes its source once", async () => {
    const { state, reply: source } = reply(words("a", "b", "c"));
    expect(await new Response(streamedBody(source)).text()).toBe("abc");
    expect(state.closed).toBe(1);
  });

  it("is pulled: nothing is produced before somebody reads", async () => {
    let produced = 0;
    async function* counted() {
      for (; produced < 100; produced++) yield "x".repeat(1000);
    }
    const reader = streamedBody(reply(counted()).reply).getReader();
    expect(produced).toBe(0);
    await reader.read();
    expect(produced).toBeLessThanOrEqual(1);
    await reader.cancel();
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

  it("is cut when its reader takes less than 1 KiB per second for half a minute", async () => {
    const { pending, timer } = manualTimer();
    const { state, reply: source } = reply(words("a", "b".repeat(60 * 1024), "c"));
    const reader = streamedBody(source, timer).getReader();
    await reader.read();
    expect(pending.map(({ delayInMs }) => delayInMs)).toEqual([30_000]);
    await reader.read();
    expect(pending.map(({ delayInMs }) => delayInMs)).toEqual([60_000]);
    pending[0]!.run();
    await expect(reader.read()).rejects.toThrow("too slow");
    expect(state.closed).toBe(1);
  });
});
