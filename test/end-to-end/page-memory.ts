import type { CDPSession, Page } from "playwright-core";

/** What a page holds after its garbage was collected. */
export interface PageMemory {
  heapKiB: number;
  nodes: number;
  listeners: number;
}

/** Shows and closes a survey that many times on a page of the gallery, after some to warm up, and measures around it. */
export const memoryOf = (page: Page, cycles: number) =>
  memoryAround(
    page,
    () => showAndClose(page, 100),
    () => showAndClose(page, cycles),
  );

/** Measures around the work, after some to warm up. */
export async function memoryAround(
  page: Page,
  warmUp: () => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<{ before: PageMemory; after: PageMemory }> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await warmUp();
  const before = await collected(session);
  await work();
  return { before, after: await collected(session) };
}

const showAndClose = (page: Page, cycles: number) =>
  page.evaluate(async (count) => {
    for (let cycle = 0; cycle < count; cycle++) {
      const view = window.show('?type=csat&draft={"rating":2}');
      await new Promise((resolve) => setTimeout(resolve));
      view.close();
      window.reports.length = 0;
    }
  }, cycles);

async function collected(session: CDPSession): Promise<PageMemory> {
  for (let pass = 0; pass < 3; pass++) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    heapKiB: Math.round(value("JSHeapUsedSize") / 1024),
    nodes: value("Nodes"),
    listeners: value("JSEventListeners"),
  };
}
