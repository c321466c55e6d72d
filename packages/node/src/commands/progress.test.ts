import { describe, expect, it } from "vitest";
import { liveLine } from "./progress.ts";

const clear = "\r\u001B[2K";

describe("the line that is overwritten", () => {
  it("fits into the width of the terminal, and is cleared before a message", () => {
    const written: string[] = [];
    const writeError = (text: string) => void written.push(text);
    const line = liveLine({ isTerminal: true, columns: () => 10, writeError });
    line.show("012345678");
    line.show("0123456789");
    line.say("a message");
    line.clear();
    expect(written).toEqual([`${clear}012345678`, `${clear}01234567…`, `${clear}a message\n`, clear]);
  });
});
