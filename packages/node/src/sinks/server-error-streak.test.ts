import { describe, expect, it } from "vitest";
import { ServerErrorStreak } from "./server-error-streak.ts";

/** What is made of these answers to requests that store something, one after the other. */
function after(...statuses: number[]) {
  const streak = new ServerErrorStreak();
  return statuses.map((status) => streak.note({ status, isLookUp: false }));
}

describe("the whole service is left in peace", () => {
  it.each([408, 425, 429, 502, 503, 504, 520])("after one %i", (status) => {
    expect(after(status)).toEqual([true]);
  });

  it("after a 500 that says when to come back", () => {
    expect(new ServerErrorStreak().note({ status: 500, afterInMs: 0, isLookUp: false })).toBe(true);
  });

  it("from the fifth 500 in a row on, until it takes something", () => {
    const faults = [500, 500, 500, 500, 500, 500];
    const verdicts = [false, false, false, false, true, true];
    expect(after(...faults, 201, ...faults)).toEqual([...verdicts, false, ...verdicts]);
  });

  it("also when it is busy in between, or answers what it is asked and stores nothing", () => {
    const streak = new ServerErrorStreak();
    const store = (status: number) => streak.note({ status, isLookUp: false });
    for (const status of [500, 500, 503, 500]) store(status);
    streak.note({ status: 200, isLookUp: true });
    store(500);
    expect(store(500)).toBe(true);
  });
});

it.each([200, 400, 404, 409, 422])("a %i shows that the service works", (status) => {
  expect(after(500, 500, 500, 500, status, 500)).toEqual([false, false, false, false, false, false]);
});
