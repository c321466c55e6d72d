import { startServer, type RunningServer } from "@afterword/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startSite, type Document, type Site } from "../end-to-end/browser-site.ts";
import { sharedBrowser } from "../end-to-end/shared-browser.ts";

const key = "aw_pk_oneoffice0123456789abcdefgh";
const page = (service: string) => `<!doctype html><html lang="en"><title>Office</title>
  <script src="/seen.js"></script>
  <script async src="/afterword/afterword.js" data-key="${key}" data-base-url="${service}"></script>`;
const seen = `if (typeof afterword !== "function") window.afterword = function () { (afterword.q ??= []).push(arguments) };
  window.reasons = [];
  document.addEventListener("afterword:notShown", ({ detail }) => reasons.push(detail.reason));
  afterword("ask", "how-was-it");`;

let service: RunningServer;
const startedAt = Date.now();
/** The service's time, which stands still until a test lets it run. */
let now = () => startedAt;
let site: Site;
const documents = new Map<string, Document>([["/seen.js", { type: "text/javascript", text: seen }]]);
beforeAll(async () => {
  service = await startServer({
    clock: { now: () => now(), monotonic: () => now() },
    config: {
      projects: [
        {
          id: "p",
          name: "Office",
          publishableKey: key,
          secretKey: "aw_sk_oneoffice0123456789abcdefgh",
          allowedOrigins: ["*"],
          surveys: [
            {
              id: "s",
              slug: "how-was-it",
              type: "csat",
              question: "How was it?",
              trigger: "manual",
              presentation: "corner",
              status: "active",
            },
          ],
        },
      ],
      rateLimits: { public: { perMinute: 6, burst: 4 } },
    },
  });
  documents.set("/", { type: "text/html", text: page(service.url) });
  site = await startSite(documents);
});
afterAll(async () => {
  site?.stop();
  await service?.close();
});

it("twelve people of one office whose address may ask four times at once all see the survey", async () => {
  const browser = await sharedBrowser();
  const context = await browser.newContext();
  const pages = await Promise.all(Array.from({ length: 12 }, () => context.newPage()));
  await Promise.all(pages.map((page) => page.goto(site.url)));
  const reasonsOf = () => Promise.all(pages.map((page) => page.evaluate<string[]>("reasons")));
  const refused = Array.from({ length: 8 }, () => "rate-limited");
  await expect.poll(async () => (await reasonsOf()).flat(), { timeout: 15_000 }).toEqual(refused);
  // A thousand times as fast: each of the eight finds its turn.
  const since = Date.now();
  now = () => since + (Date.now() - since) * 1000;
  await Promise.all(pages.map((page) => page.locator("afterword-view").waitFor({ state: "attached" })));
  expect((await reasonsOf()).flat()).toEqual(refused);
  await context.close();
}, 60_000);
