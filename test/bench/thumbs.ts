import { chromium, type CDPSession, type Page } from "playwright-core";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { serveWidgetPages } from "./widget-pages.ts";

// How long the main thread is busy with mounting thumbs, on a processor four times slower.

const slowdown = 4;
const runs = 9;
const mounted = 100;

/** Seconds of processor time of the page's thread, as the browser counts them. */
async function busySeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")!.value;
}

/** Milliseconds of work from the first of the elements until all of them have been drawn and painted. */
async function mountInMs(page: Page, session: CDPSession): Promise<number> {
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await busySeconds(session);
  await page.evaluate(async (count) => {
    const list = document.createElement("main");
    for (let at = 0; at < count; at++) {
      const thumbs = document.createElement("afterword-thumbs");
      const attributes = { "survey-id": "bench", "session-id": `run-${at}`, "token": "st2.bench" };
      for (const [name, value] of Object.entries(attributes)) thumbs.setAttribute(name, value);
      list.append(thumbs);
    }
    document.body.append(list);
    while ([...list.children].some(({ shadowRoot }) => !shadowRoot!.querySelector("button")))
      await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }, mounted);
  return ((await busySeconds(session)) - before) * 1000;
}

/** The line of figures: the median and all runs. The page has had thumbs before, as a chat has when it is reloaded. */
export async function benchThumbs(): Promise<string> {
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
  const pages = await serveWidgetPages();
  const took: number[] = [];
  try {
    for (let run = 0; run < runs; run++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${pages.url}/thumbs`);
      await page.locator("afterword-thumbs button").first().waitFor();
      const session = await context.newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
      took.push(await mountInMs(page, session));
      await context.close();
    }
  } finally {
    await browser.close();
    pages.stop();
  }
  const sorted = took.toSorted((one, other) => one - other).map((one) => one.toFixed(0));
  return (
    `Mounting ${mounted} thumbs, ${slowdown}x slower, busy thread: ${sorted[Math.floor(runs / 2)]} ms in the median of ` +
    `${runs} pages (${sorted.join(", ")}; aim 50 ms).`
  );
}
