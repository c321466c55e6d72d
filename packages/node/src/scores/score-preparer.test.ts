import { describe, expect, it } from "vitest";
import { defineSink } from "../forwarder.ts";
import { aForwarder, delivered } from "../delivery/forwarder.fixture.ts";
import { aPendingScore, TestQueue } from "../delivery/score-queue.fixture.ts";

describe("what people wrote", () => {
  it.each([
    ["is left out unless the sink keeps it on this machine", undefined, null],
    ["goes along when that is asked for", "include" as const, "words"],
  ])("%s", async (_, text, expected) => {
    const seen: (string | null)[] = [];
    const sink = defineSink({
      name: "seen",
      async deliver(scores) {
        seen.push(...scores.map((score) => score.text));
        return scores.map(() => delivered);
      },
    });
    const { clock, forwarder } = aForwarder(new TestQueue([aPendingScore(1, { text: "words" })]), sink, {
      text,
    });
    await clock.until(forwarder.runOnce());
    expect(seen).toEqual([expected]);
  });
});
