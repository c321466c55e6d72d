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

it("a survey in test mode and a preview are not reported", async () => {
  const { page, reports } = await open("", "data-test");
  await page.clock.install();
  const definition = {
    id: "p",
    slug: "p",
    type: "csat",
    question: "?",
    presentation: "corner",
    trigger: "manual",
  };
  for (const show of [`("ask", "when-asked")`, `("preview", ${JSON.stringify(definition)})`]) {
    await page.evaluate(`afterword("close"); afterword${show}`);
    await page.locator("afterword-view input[value='5']").waitFor();
    await page.clock.runFor(5000);
  }
  expect(reports).toEqual([]);
});

it("thumbs report nothing: they are in the page with each answer", async () => {
  const script = `<script type="module" src="/afterword/afterword-thumbs.js"></script>`;
  const { page, run, reports } = await open(`${script}<main id="here"></main>`);
  await page.evaluate(`here.innerHTML = \`<afterword-thumbs survey-id="manual" session-id="${run.sessionId}"
    token="${run.token}"></afterword-thumbs>\``);
  const up = page.getByRole("button", { name: "Good answer" });
  await up.waitFor();
  await page.clock.install();
  await page.clock.runFor(5000);
  await up.click();
  await page.clock.runFor(5000);
  await page.getByText("Thank you").waitFor();
  expect(reports).toEqual([]);
});
