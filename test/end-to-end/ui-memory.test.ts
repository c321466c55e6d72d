import { expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";
import { memoryOf } from "./page-memory.ts";

const open = useGallery();

// `node test/bench/widget.ts` does it a thousand times.
it("two hundred surveys shown and closed leave no node and no listener behind", async () => {
  const { page } = await open({ later: true });
  const { before, after } = await memoryOf(page, 200);
  expect(after.nodes).toBe(before.nodes);
  expect(after.listeners).toBe(before.listeners);
  expect(after.heapKiB - before.heapKiB).toBeLessThan(512);
});
