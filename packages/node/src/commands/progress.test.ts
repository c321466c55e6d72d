import { describe, expect, it } from "vitest";
import { liveLine } from "./progress.ts";

const clear = "\r\u001B[2K";

function lineOn(isTerminal: boolean) {
  const written: string[] = [];
  const writeError = (text: string) => void written.push(text);
  return { written, line: liveLine({ isTerminal, columns: () => 10, writeError }) };
}

describe("the line that is overwritten", () => {
  it("fits into the width of the terminal, and is cleared before a message", () => {
    const { line, written } = lineOn(true);
    line.show("012345678");
    line.show("0123456789");
    line.say("a message");
    line.clear();
    expect(written).toEqual([`${clear}012345678`, `${clear}01234567…`, `${clear}a message\n`, clear]);
  });

  it("leaves no codes where there is no terminal", () => {
    const { line, written } = lineOn(false);
    line.say("a message");
    line.clear();
    expect(written).toEqual(["a message\n"]);
  });
});
