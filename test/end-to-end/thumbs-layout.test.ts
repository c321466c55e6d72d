import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";
import { withoutTokenChecks } from "./fault-proxy.ts";

const world = useWorld();
beforeAll(() => void (world.proxy.fault = withoutTokenChecks));
const script = `<script type="module" src="/afterword/afterword-thumbs.js"></script>`;
const observer = `window.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)))
    .observe({ type: "layout-shift", buffered: true });`;

/** The rules that a page needs before the files have loaded. */
const guide = readFileSync(fileURLToPath(new URL("../../docs/browser/thumbs.md", import.meta.url)), "utf8");
const rules = /```css\n(afterword-thumbs:not\(:defined\)[^]*?)```/.exec(guide)![1]!;

const styled = (
  css: string,
) => `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(css)});
  document.adoptedStyleSheets.push(sheet); }`;
const tag = (session: string, surveyId = "manual") =>
  `<afterword-thumbs survey-id="${surveyId}" session-id="${session}" token="t"></afterword-thumbs>`;

/** A page whose files arrive only once they are released. */
async function openSlowly(body: string, css: string, viewport = { width: 800, height: 800 }) {
  const profile = await world.newContext({ viewport });
  const { promise: untilReleased, resolve: release } = Promise.withResolvers<void>();
  await profile.route("**/afterword/*", async (route) => {
    await untilReleased;
    await route.continue();
  });
  const page = await profile.newPage();
  await page.addInitScript(observer);
  const url = world.publish({
    body: script + body,
    before: styled(css) + `afterword("identify", "${newPerson()}");`,
  });
  await page.goto(url, { waitUntil: "commit" });
  await page.locator("#below").waitFor();
  return { page, release };
}

/** Once the browser has drawn what is there. */
async function shiftsIn(page: Page) {
  await page.evaluate(async () => {
    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
  });
  return page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
}

describe("space", () => {
  const answers = Array.from({ length: 100 }, (_, at) => `<p>Answer ${at}</p><div>${tag(`run-${at}`)}</div>`);
  const inText = Array.from(
    { length: 20 },
    (_, at) => `<p>Was answer ${at} good? ${tag(`run-${at}`)} Say it.</p>`,
  );

  it.each([
    ["a hundred thumbs under their answers", answers],
    ["twenty thumbs in lines of text", inText],
  ])("is kept for %s: nothing moves when they appear", async (_, list) => {
    const { page, release } = await openSlowly(`${list.join("")}<p id="below">Below</p>`, rules);
    const top = () => page.locator("#below").evaluate((below) => below.getBoundingClientRect().top);
    await shiftsIn(page);
    const before = await top();
    release();
    await expect.poll(() => page.locator("afterword-thumbs [part=down]").count()).toBe(list.length);
    expect(await shiftsIn(page)).toEqual([]);
    expect(await top()).toBe(before);
  });

  it("is kept for twenty inline surveys", async () => {
    const person = newPerson();
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, at) => world.mint("inline", person, `run-${at}`)),
    );
    const list = runs.map(
      ({ token, sessionId }) =>
        `<p>Answer</p><afterword-survey slug="in-the-page" survey-id="inline" session-id="${sessionId}" token="${token}"></afterword-survey>`,
    );
    const { page, release } = await openSlowly(`${list.join("")}<p id="below">Below</p>`, rules);
    await shiftsIn(page);
    release();
    await expect.poll(() => page.locator("afterword-survey input[value='7']").count()).toBe(list.length);
    expect(await shiftsIn(page)).toEqual([]);
  });
});

const opened = async (body: string, css: string, viewport?: { width: number; height: number }) => {
  const { page, release } = await openSlowly(`${body}<p id="below">Below</p>`, css, viewport);
  release();
  const down = page.locator("[part=down]");
  await down.waitFor();
  return { page, down };
};

describe("the line beside a bad answer", () => {
  const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
  it.each([
    ["at 320 px", ""],
    ["at 320 px with text of 200 %", "html { font-size: 200% }"],
  ])("wraps %s, long words too: nothing leaves the page", async (_, css) => {
    const { page, down } = await opened(tag("a", "worded"), css, { width: 320, height: 640 });
    await page.route("**/v1/sdk/bootstrap", (route) =>
      route.fulfill({
        json: {
          surveys: [
            {
              id: "worded",
              slug: "w",
              type: "csat",
              question: "?",
              suggestions: { low: [long, "Too slow"] },
              presentation: "corner",
              trigger: "manual",
            },
          ],
          suppression: [],
          showTokens: {},
        },
        headers: { "access-control-allow-origin": "*" },
      }),
    );
    await page.evaluate(`afterword("identify", "${newPerson()}")`);
    await down.click();
    await page.getByRole("button", { name: long }).waitFor();
    const edges = await page
      .locator("afterword-thumbs :is(button, input)")
      .evaluateAll((all) =>
        all.map((one) => [
          one.getBoundingClientRect().left,
          innerWidth - one.getBoundingClientRect().right,
          one.clientWidth - one.scrollWidth,
        ]),
      );
    expect(Math.min(...edges.flat())).toBeGreaterThanOrEqual(0);
  });
});
