import { describe, expect, it } from "vitest";
import { advance, type Flow, type FlowEvent, textLimit } from "./survey-flow.ts";

const start: Flow = { stage: "asking", text: "", offersContact: false, wantsContact: false };
const rate = (rating: number, offersContact = false): FlowEvent => ({ type: "rate", rating, offersContact });
const write = (text: string): FlowEvent => ({ type: "write", text });
const [send, skip, close] = [{ type: "send" }, { type: "skip" }, { type: "close" }] as const;

/** The flow after some events, and the last command. */
function after(...events: FlowEvent[]) {
  let flow = start;
  let last: ReturnType<typeof advance>[1];
  for (const event of events) [flow, last] = advance(flow, event);
  return { flow, command: last };
}

describe("the flow of one ask", () => {
  it("a rating is kept as a draft and sends nothing", () => {
    expect(after(rate(4))).toMatchObject({
      flow: { stage: "asking", rating: 4 },
      command: { type: "save-draft" },
    });
  });

  it("a mis-clicked rating can be changed until sent", () => {
    expect(after(rate(1), rate(5), send).command).toEqual({ type: "submit", answer: { rating: 5 } });
    expect(after(rate(1), send, rate(5)).flow).toMatchObject({ stage: "sending", rating: 1 });
  });

  it("sending takes the rating and the text, without the space around it", () => {
    expect(after(rate(4), write("  fine \n"), send).command).toEqual({
      type: "submit",
      answer: { rating: 4, text: "fine" },
    });
  });

  it("a text of nothing but space is no text", () => {
    expect(after(rate(4), write(" \n "), send).command).toEqual({ type: "submit", answer: { rating: 4 } });
  });

  it("skip never sends the text, nor the wish to be contacted", () => {
    const events = [
      rate(2, true),
      write("typed and regretted"),
      { type: "want-contact", wanted: true },
      skip,
    ] as const;
    expect(after(...events).command).toEqual({ type: "submit", answer: { rating: 2 } });
  });

  it("the wish to be contacted is sent only while its box is on the screen", () => {
    const wish = { type: "want-contact", wanted: true } as const;
    expect(after(rate(1, true), wish, send).command).toMatchObject({ answer: { followUpRequested: true } });
    expect(after(rate(1, true), wish, rate(5, false), send).command).toEqual({
      type: "submit",
      answer: { rating: 5 },
    });
  });

  it.each([send, skip])("nothing is sent without a rating: %o", (event) => {
    expect(after(event)).toEqual({ flow: start, command: undefined });
  });

  it("an answer is sent once, however often the button is pressed", () => {
    expect(after(rate(4), send, send).command).toBeUndefined();
    expect(after(rate(4), send, skip).command).toBeUndefined();
  });

  it("closing while asking is told to the world, which knows whether a rating was chosen", () => {
    expect(after(close)).toMatchObject({ flow: { stage: "closed" }, command: { type: "dismiss" } });
    expect(after(rate(3), close)).toMatchObject({ flow: { stage: "closed" }, command: { type: "dismiss" } });
  });

  it("closing after sending dismisses nothing", () => {
    expect(after(rate(3), send, close)).toMatchObject({ flow: { stage: "closed" }, command: undefined });
    expect(after(rate(3), send, { type: "settle", result: "stored" }, close).command).toBeUndefined();
    expect(after(close, close).command).toBeUndefined();
  });

  it.each(["stored", "queued", "refused"] as const)("after sending, the answer is %s", (result) => {
    expect(after(rate(3), send, { type: "settle", result }).flow.stage).toBe(result);
  });

  it("thanks is never said for what was not sent, nor after closing", () => {
    const settle = { type: "settle", result: "stored" } as const;
    expect(after(rate(3), settle).flow.stage).toBe("asking");
    expect(after(rate(3), send, close, settle).flow.stage).toBe("closed");
  });

  it("a text has at most 10,000 code points, and no emoji is cut in two", () => {
    const { flow } = after(rate(3), write("😀".repeat(textLimit + 5)));
    expect([...flow.text]).toHaveLength(textLimit);
    expect(flow.text.endsWith("😀")).toBe(true);
    expect(after(write("x".repeat(textLimit))).flow.text).toHaveLength(textLimit);
    expect([...after(write("😀".repeat(6000))).flow.text]).toHaveLength(6000);
  });
});
