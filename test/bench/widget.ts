import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { chromium, type CDPSession, type Page } from "playwright-core";
import { serveGallery } from "../../packages/browser/gallery/serve.ts";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { memoryOf } from "../end-to-end/page-memory.ts";

// What the widget costs a page: tasks on a processor four times slower, and what a thousand surveys leave behind.

const slowdown = 4;
const cycles = Number(process.env["BENCH_CYCLES"] ?? 1000);
const runs = 9;
const print = (line: string) => void process.stdout.write(`${line}\n`);

const survey = {
  id: "bench",
  slug: "bench",
  type: "nps",
  question: "How likely are you to recommend us?",
  followUpQuestion: "Why?",
  presentation: "corner",
  trigger: "auto",
};
const bootstrap = { surveys: [survey], suppression: [], showTokens: { bench: "st1.bench" } };

/** A page with the script tag as it is built, and the service's one answer. */
async function servePage(): Promise<Server> {
  const dist = fileURLToPath(new URL("../../packages/browser/dist", import.meta.url));
  const server = createServer(async (request, response) => {
    const { port } = server.address() as AddressInfo;
    const path = new URL(request.url ?? "/", "http://page").pathname;
    if (path.startsWith("/v1/")) {
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(bootstrap));
    }
    if (path === "/empty")
      return response.writeHead(200, { "content-type": "text/html" }).end("<input type=radio>");
    if (path === "/") {
      const tag = `<script async src="/afterword.js" data-key="aw_pk_bench" data-base-url="http://127.0.0.1:${port}">`;
      return response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<!doctype html><html lang=en>${tag}</script>`);
    }
    const file = await readFile(`${dist}${path}`).catch(() => undefined);
    response.writeHead(file ? 200 : 404, { "content-type": "text/javascript" }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

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
const server = await servePage();
const gallery = await serveGallery();
try {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const longest = { "/": [] as number[], "/empty": [] as number[] };
  for (let run = 0; run < runs; run++) {
    for (const path of ["/", "/empty"] as const) {
      const context = await browser.newContext();
      const page = await context.newPage();
      longest[path].push(await longestTask(page, await context.newCDPSession(page), url + path));
      await context.close();
    }
  }
  print(
    `longest task over 50 ms from load to shown, ${slowdown}x slower, ${runs} runs: ${longest["/"].join(", ")} ms; the same page without the widget: ${longest["/empty"].join(", ")} ms (0 is none)`,
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
  server.close();
}
