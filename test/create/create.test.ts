import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { chromiumArguments, chromiumPath } from "../chromium.ts";
import { CreatedApp } from "./created-app.ts";
import { rateByThumb, rateInCorner } from "./rate-app.ts";

const registry = inject("registryUrl");
let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
});
afterAll(() => browser?.close());

/** A worker has no page: the survey is answered where `dev` draws it. */
async function rateInPreview(page: Page, { devUrl }: CreatedApp): Promise<number> {
  await page.goto(devUrl);
  const frame = page.getByTitle("Preview of satisfaction");
  await frame.scrollIntoViewIfNeeded();
  const preview = frame.contentFrame();
  await preview.getByRole("radio").nth(3).click();
  await preview.getByRole("button", { name: /send/i }).click();
  return 4;
}

const templates = [
  ["page", "satisfaction", rateInCorner],
  ["hono", "satisfaction", rateInCorner],
  ["express", "satisfaction", rateInCorner],
  ["fastapi", "satisfaction", rateInCorner],
  ["vite-react", "answer", rateByThumb],
  ["vue", "answer", rateByThumb],
  ["svelte", "answer", rateByThumb],
  ["next-ai-sdk", "answer", rateByThumb],
  ["worker", "satisfaction", rateInPreview],
] as const;

const hasPython = process.env["CREATE_FASTAPI"] !== undefined;

describe("npm create afterword, from a registry into an empty folder", () => {
  it.for(templates)(
    "%s: the task runs, is rated, dev shows the score, and both start again as the last lines say",
    async ([name, surveyId, rate], { skip }) => {
      skip(name === "fastapi" && !hasPython, "its packages cannot be had here");
      const app = await CreatedApp.start(name, registry);
      onTestFinished(() => app[Symbol.asyncDispose]());
      const page = await browser.newPage({ reducedMotion: "reduce" });
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      const rating = await rate(page, app);
      if (rate === rateByThumb) await page.getByText("Thank you").waitFor();

      const dev = await browser.newPage();
      await dev.goto(app.devUrl);
      const logged = dev.locator("#entries li");
      await logged
        .filter({ hasText: new RegExp(`stored.*${surveyId}: rating ${rating}, session `) })
        .waitFor();
      await logged.filter({ hasText: "delivered" }).waitFor();
      const report = dev.waitForEvent("popup");
      await dev.getByRole("link", { name: "Open the report" }).click();
      await (await report).getByText("1 answer of 1 person").first().waitFor();
      await (await report).close();
      if (name === "worker") await app.line(/^\S+ delivered$/);
      else await dev.locator("#score-list summary").getByText(`: ${rating}`).waitFor();
      expect(faults).toEqual([]);
      await Promise.all([page.close(), dev.close()]);

      await app.startAgain(registry);
      for (const url of name === "worker" ? [app.devUrl] : [app.url, app.devUrl]) {
        const isAnswered = () =>
          fetch(url)
            .then(({ ok }) => ok)
            .catch(() => false);
        await expect.poll(isAnswered, { timeout: 60_000 }).toBe(true);
      }

      await app[Symbol.asyncDispose]();
      for (const url of [app.url, app.devUrl].filter(Boolean))
        await expect(fetch(url), `${url} after the end`).rejects.toThrow("fetch failed");
    },
  );
});
