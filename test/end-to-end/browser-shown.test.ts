import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();

type Report = { showToken: string; status: number };

/** The reports of a page that the service has answered, from now on. */
function reportsOf(page: Page): Report[] {
  const reports: Report[] = [];
  page.on("response", (reply) => {
    if (!reply.url().endsWith("/v1/shown")) return;
    const { showToken } = reply.request().postDataJSON() as { showToken: string };
    reports.push({ showToken, status: reply.status() });
  });
  return reports;
}

/** Opens a page whose survey waits until the test asks for it. */
async function open(body = "", attributes = "") {
  const person = newPerson();
  const run = await world.mint("manual", person, `run-of-${person}`);
  const { page, faults } = await world.open({
    body,
    attributes,
    before: `window.run = ${JSON.stringify(run)}; window.timesShown = 0; afterword("identify", "${person}");
      afterword("install", run); afterword("on", "shown", () => timesShown++);`,
  });
  await page.waitForFunction("afterword.isOpen");
  return { page, faults, run, reports: reportsOf(page) };
}

describe("a survey that the person can see", () => {
  it("far down a page is reported once it is scrolled to", async () => {
    const { page, reports } = await open(
      `<div style="height: 300vh"></div><afterword-survey slug="in-the-page"></afterword-survey>`,
    );
    await page.locator("afterword-survey input[value='7']").waitFor({ state: "attached" });
    await page.clock.install();
    await page.clock.runFor(5000);
    expect(reports).toEqual([]);
    await page.locator("afterword-survey").scrollIntoViewIfNeeded();
    await expect
      .poll(
        async () => {
          await page.clock.runFor(500);
          return reports;
        },
        { timeout: 10_000 },
      )
      .toMatchObject([{ status: 202 }]);
  });
});
