import { describe, expect, it } from "vitest";
import { durationInMs } from "./duration.ts";

describe("a duration", () => {
  it.each([
    ["1s", 1000],
    ["90m", 5_400_000],
    ["24h", 86_400_000],
    ["30d", 2_592_000_000],
  ])("%s is %i ms", (text, milliseconds) => expect(durationInMs(text)).toBe(milliseconds));

  it.each(["", "30", "d", "0d", "-1d", "1.5h", "1w", "30D", " 1d", "1d ", "9999999d", "1e3s"])(
    "is not %j",
    (text) => expect(durationInMs(text)).toBeUndefined(),
  );
});
