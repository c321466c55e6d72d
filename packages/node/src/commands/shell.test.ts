import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { streamWriter } from "./shell.ts";

/** A stream with room for four letters, whose reader takes them when it is told to. */
function slowStream() {
  const taken: string[] = [];
  let take = (_error?: Error) => undefined as void;
  const stream = new Writable({
    highWaterMark: 4,
    decodeStrings: false,
    write(text: string, _encoding, done) {
      taken.push(text);
      take = done;
    },
  });
  return { stream, taken, take: (error?: Error) => take(error) };
}

describe("what is written for a slow reader", () => {
  it("needs no waiting while there is room", () => {
    const { stream, taken } = slowStream();
    expect(streamWriter(stream, new AbortController())("abc")).toBeUndefined();
    expect(taken).toEqual(["abc"]);
  });

  it("holds up the writer until there is room again", async () => {
    const { stream, take } = slowStream();
    const room = streamWriter(stream, new AbortController())("abcde");
    let hasRoom = false;
    const waiting = Promise.resolve(room).then(() => (hasRoom = true));
    await new Promise(setImmediate);
    expect(hasRoom).toBe(false);
    take();
    await waiting;
  });

  it("is still written when the program is to end, but not waited for", async () => {
    const { stream, taken, take } = slowStream();
    const interrupted = new AbortController();
    const write = streamWriter(stream, interrupted);
    const room = write("abcde");
    interrupted.abort();
    await room;
    await write("the summary");
    take();
    await new Promise(setImmediate);
    expect(taken).toEqual(["abcde", "the summary"]);
  });

  it("interrupts the program when the reader has gone away, as `head` does", async () => {
    const { stream, taken, take } = slowStream();
    const interrupted = new AbortController();
    const write = streamWriter(stream, interrupted);
    const room = write("abcde");
    take(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    await room;
    expect(interrupted.signal.aborted).toBe(true);
    expect(write("more")).toBeUndefined();
    expect(taken).toEqual(["abcde"]);
  });
});
