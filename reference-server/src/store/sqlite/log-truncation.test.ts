import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openSqlite } from "../open-store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("tells of each erasure once that its text cannot be taken off the disk", async () => {
  const { store, truncation } = await openSqlite(":memory:");
  const error = new Error("the disk is full");
  truncation.truncate = () => {
    throw error;
  };
  truncation.onFailure = vi.fn<(error: unknown) => void>();
  const run = truncation.run();
  await vi.advanceTimersByTimeAsync(5000);
  await run;
  expect(truncation.onFailure).toHaveBeenCalledExactlyOnceWith(error);
  expect(truncation.isHeld).toBe(true);
  await store.close();
});
