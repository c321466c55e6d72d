import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { chromium } from "playwright-core";
import type { PageTask } from "./page-script.ts";

// The browser client in Chromium as the kit drives it (docs/reference/conformance.md). CHROMIUM_ENDPOINT is a Chromium
// that runs, PAGE_SCRIPT the bundle of page-script.ts.

const { env } = process;
const script = readFileSync(env["PAGE_SCRIPT"]!);

/** The page is of another origin than the service, as a customer's is. */
const site = createServer((request, response) => {
  const isScript = request.url === "/script.js";
  response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
  response.end(isScript ? script : '<!doctype html><html lang="en"><script src="/script.js"></script>');
});
await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));

const browser = await chromium.connect(env["CHROMIUM_ENDPOINT"]!);
const context = await browser.newContext();
try {
  const page = await context.newPage();
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  const task = JSON.parse(env["AFTERWORD_TASK"]!) as PageTask;
  const closed = task.dismiss && page.waitForResponse(/dismissals/);
  const given = [task, env["AFTERWORD_PUBLISHABLE_KEY"]!, env["AFTERWORD_BASE_URL"]!] as const;
  const outcome = await page.evaluate(([task, key, baseUrl]) => window.play(task, key, baseUrl), given);
  await closed;
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
} finally {
  await context.close();
  await browser.close();
  site.close();
}
