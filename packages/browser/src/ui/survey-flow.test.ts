import { describe, expect, it } from "vitest";
import { advance, answerOf, type Flow, type FlowEvent } from "./survey-flow.ts";

const start: Flow = { stage: "asking" };
const after = (...events: FlowEvent[]) => events.reduce(advance, start);

/** A survey that asks for a text, and after low ratings whether the person may be contacted. */
const asking = { type: "csat", followUpQuestion: "Why?" } as const;

describe("the flow of one ask", () => {
  it("a mis-clicked rating can be changed until sent, and then no more", () => {
    expect(after({ rating: 1 }, { rating: 5 }, "send")).toEqual({ stage: "sending", rating: 5 });
    expect(after({ rating: 1 }, "send", { rating: 5 })).toEqual({ stage: "sending", rating: 1 });
    expect(after({ rating: 1 }, "send", { text: "late" })).toEqual({ stage: "sending", rating: 1 });
  });

  it("thanks is never said for what was not sent, nor after closing", () => {
    expect(after({ rating: 3 }, "stored").stage).toBe("asking");
    expect(after({ rating: 3 }, "send", "close", "stored").stage).toBe("closed");
    expect(after({ rating: 3 }, "send", "stored", "queued").stage).toBe("stored");
    expect(after({ rating: 3 }, "send", "refused", "stored").stage).toBe("refused");
  });

  it("who goes on after the warning is warned again, and sends without it", () => {
    const warned: FlowEvent[] = [{ rating: 3 }, { text: "half a thou" }, "close"];
    expect(after(...warned, { text: "half a thought" }, "close").stage).toBe("asking");
    expect(after(...warned, "send")).toEqual({ stage: "sending", rating: 3, text: "half a thou" });
    expect(after(...warned, "skip")).toEqual({ stage: "sending", rating: 3 });
  });

  it("closing loses nothing, and takes one press, without a text and once the answer is on its way", () => {
    expect(after({ rating: 3 }, { text: " \n" }, "close").stage).toBe("closed");
    expect(after({ rating: 3 }, { text: "sent" }, "send", "close").stage).toBe("closed");
    expect(after({ rating: 3 }, { text: "sent" }, "send", "queued", "close").stage).toBe("closed");
  });

  it("closing is possible at every stage, keeps what was begun, and is final", () => {
    expect(after("close").stage).toBe("closed");
    expect(after({ rating: 3 }, "close")).toEqual({ stage: "closed", rating: 3 });
    expect(after({ rating: 3 }, "send", "close").stage).toBe("closed");
    expect(after("close", { rating: 3 }, "send")).toEqual({ stage: "closed" });
  });
});

describe("the answer that is sent", () => {
  it("has no space around its text, and a text of nothing but space is no text", () => {
    expect(answerOf({ stage: "sending", rating: 4, text: "  fine \n" }, asking).text).toBe("fine");
    expect(answerOf({ stage: "sending", rating: 4, text: " \n " }, asking)).toEqual({ rating: 4 });
  });

  it("has the wish to be contacted only while its box is on the screen", () => {
    const flow: Flow = { stage: "sending", rating: 5, followUpRequested: true };
    expect(answerOf(flow, asking, "always")).toEqual({ rating: 5, followUpRequested: true });
    expect(answerOf(flow, asking)).toEqual({ rating: 5 });
  });

  it("has the text only while its field is on the screen, which ratings without a follow-up question lack", () => {
    const flow: Flow = { stage: "sending", rating: 5, text: "typed for a lower rating" };
    expect(answerOf(flow, { type: "csat" })).toEqual({ rating: 5 });
  });
});
