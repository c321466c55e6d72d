import { describe, expect, it } from "vitest";
import { digitReader } from "./listen-for-rating-keys.ts";

/** What is read from keys typed at these milliseconds, the last of them. */
function read(...typed: [key: string, timeInMs: number][]): number | undefined {
  const reader = digitReader();
  return typed.map(([key, time]) => reader(key, time)).at(-1);
}

describe("digits choose a rating", () => {
  it.each([..."0123456789"])("%s is read as itself", (digit) => {
    expect(read([digit, 0])).toBe(Number(digit));
  });

  it("1 and then 0 within half a second is 10", () => {
    expect(read(["1", 0], ["0", 500])).toBe(10);
    expect(read(["1", 0], ["0", 501])).toBe(0);
  });

  it("only the 1 just before makes a 10", () => {
    expect(read(["1", 0], ["2", 100], ["0", 200])).toBe(0);
    expect(read(["1", 0], ["0", 100], ["0", 200])).toBe(0);
    expect(read(["1", 0], ["1", 100], ["0", 200])).toBe(10);
  });

  it.each(["a", "Tab", "F1", " ", "ArrowUp", "١"])("%s is not a digit", (key) => {
    expect(read([key, 0])).toBeUndefined();
  });
});
