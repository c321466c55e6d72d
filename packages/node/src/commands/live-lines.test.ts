import { describe, expect, it } from "vitest";
import { LiveLines } from "./live-lines.ts";

const clear = "\r\u001B[2K";
const above = "\u001B[1A\u001B[2K";

function linesOf(isTerminal: boolean) {
  const written: string[] = [];
  const writeError = (text: string) => void written.push(text);
  return { written, lines: new LiveLines({ isTerminal, columns: () => 10, writeError }) };
}

describe("lines that are overwritten", () => {
  it("are cleared as many as they are, before the next ones and before a message", () => {
    const { lines, written } = linesOf(true);
    lines.show("one", ["two", "three"]);
    lines.show("four", []);
    lines.show("five", ["six"]);
    lines.say("a message");
    lines.clear();
    expect(written).toEqual([
      `${clear}one\ntwo\nthree`,
      `${clear}${above}${above}four`,
      `${clear}five\nsix`,
      `${clear}${above}a message\n`,
      clear,
    ]);
  });

  it("fit into the width of the terminal: a summary loses its end, a cause its middle", () => {
    const { lines, written } = linesOf(true);
    lines.show("0123456789", ["012345678", "waiting for x: answered 503"]);
    expect(written).toEqual([`${clear}01234567…\n012345678\nwa…ed 503`]);
  });

  it("leave no codes where there is no terminal", () => {
    const { lines, written } = linesOf(false);
    lines.say("a message");
    lines.clear();
    expect(written).toEqual(["a message\n"]);
  });
});
