import { chromium, type CDPSession, type Page } from "playwright-core";
import { serveGallery } from "../../packages/browser/gallery/serve.ts";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { memoryOf } from "../end-to-end/page-memory.ts";
import { serveWidgetPages } from "./widget-pages.ts";

// What the widget costs a page: tasks on a processor four times slower, and what a thousand surveys leave behind.

const slowdown = 4;
const cycles = Number(process.env["BENCH_CYCLES"] ?? 1000);
const runs = 9;
const print = (line: string) => void process.stdout.write(`${line}\n`);

/** The longest task in milliseconds from the start of the page until the survey is on it; 0 is: none over 50 ms. */
async function longestTask(page: Page, session: CDPSession, url: string): Promise<number> {
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        document.documentElement.dataset["longest"] =
          `${Math.max(duration, Number(document.documentElement.dataset["longest"] ?? 0))}`;
      }
    }).observe({ type: "longtask", buffered: true });
  });
  await page.goto(url);
  await page.getByRole("radio").first().waitFor();
  await page.waitForTimeout(300);
  return page.evaluate(() => Number(document.documentElement.dataset["longest"] ?? 0));
}

const browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
const pages = await serveWidgetPages();
const gallery = await serveGallery();
try {
  const longest = { "/shown": [] as number[], "/empty": [] as number[] };
  for (let run = 0; run < runs; run++) {
    for (const path of ["/shown", "/empty"] as const) {
      const context = await browser.newContext();
      const page = await context.newPage();
      longest[path].push(await longestTask(page, await context.newCDPSession(page), pages.url + path));
      await context.close();
    }
  }
  print(
    `longest task over 50 ms from load to shown, ${slowdown}x slower, ${runs} runs: ${longest["/shown"].join(", ")} ms; the same page without the widget: ${longest["/empty"].join(", ")} ms (0 is none)`,
  );

  const page = await browser.newPage();
  await page.goto(`${gallery.url}/state?later=1`);
  const memory = await memoryOf(page, cycles);
  const { before, after } = memory;
  print(
    `${cycles} surveys shown and closed: heap ${before.heapKiB} to ${after.heapKiB} KiB, nodes ${before.nodes} to ${after.nodes}, listeners ${before.listeners} to ${after.listeners}`,
  );
} finally {
  await browser.close();
  gallery.stop();
  pages.stop();
}
