import { expect, it } from "vitest";
import { systemClock } from "./clock.ts";

it("a delay that no timer takes, in the past or beyond 24 days, is brought into its range", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on("warning", note);
  const ending = new AbortController();
  const sleeps = [-5, 2 ** 40, Infinity].map((delayInMs) => systemClock.sleep(delayInMs, ending.signal));
  await new Promise(setImmediate);
  ending.abort();
  await Promise.all(sleeps);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
