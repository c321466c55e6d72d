import type { BrowserContext, Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const check = "/v1/sdk/tokens/check";
const hour = 3_600_000;

afterEach(() => {
  world.aheadInMs = 0;
  world.proxy.fault = () => undefined;
});

type Run = Record<"surveyId" | "sessionId" | "token", string>;

const mintFor = (person: string, session = `run-of-${person}`) => world.mint("run", person, session);

const thumbs = ({ surveyId, sessionId, token }: Run) =>
  `<afterword-thumbs survey-id="${surveyId}" session-id="${sessionId}" token="${token}"></afterword-thumbs>`;

/** A page of a person with thumbs, which counts what moves and what it asks the service. */
async function open(person: string, body: string, attributes = "", profile?: BrowserContext) {
  const context = profile ?? (await world.newContext());
  const checks: number[] = [];
  context.on("request", (request) => {
    if (new URL(request.url()).pathname !== check) return;
    checks.push((JSON.parse(request.postData()!) as { showTokens: string[] }).showTokens.length);
  });
  const opened = await world.open(
    {
      attributes,
      body: `<script type="module" src="/afterword/afterword-thumbs.js"></script><main><p>Refunded.</p>${body}<p>Next</p></main>`,
      // The rule of the documentation that keeps the space until the files have loaded.
      before: `window.told = []; window.shift = 0; afterword("identify", "${person}");
        const sheet = new CSSStyleSheet(); document.adoptedStyleSheets = [sheet];
        sheet.replaceSync("afterword-thumbs:not(:defined) { display: inline-flex; align-items: center; min-width: 68px; min-height: 32px } " +
          "afterword-thumbs:not(:defined)::before { content: '\\\\200b' }");
        new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (shift += value))).observe({ type: "layout-shift", buffered: true });
        afterword("on", "error", ({ message }) => told.push(message));`,
    },
    context,
  );
  await opened.page.evaluate(`customElements.whenDefined("afterword-thumbs").then(() => {})`);
  return { ...opened, context, checks };
}

/** For each element: which thumb is pressed, and whether the vote is fixed; nothing where it is empty. */
const votes = (page: Page) =>
  page.locator("afterword-thumbs").evaluateAll((all) =>
    all.map(({ shadowRoot }) => {
      const buttons = [...shadowRoot!.querySelectorAll("[part=up], [part=down]")];
      const pressed = buttons.find(({ ariaPressed }) => ariaPressed === "true");
      const isFixed = buttons.every(({ ariaDisabled }) => ariaDisabled === "true");
      return buttons[0] ? `${pressed?.part.value ?? "none"}${isFixed ? ", fixed" : ""}` : "";
    }),
  );

const shows = (page: Page, ...expected: string[]) => expect.poll(() => votes(page)).toEqual(expected);

it("a vote is there again after a reload, fixed; nothing moves, nothing is said, and one request asks for it", async () => {
  const person = newPerson();
  const run = await mintFor(person);
  const { page, checks, faults } = await open(person, thumbs(run));
  await page.locator("[part=down]").click();
  await page.locator("[part=send]").click();
  await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 1 }]);
  expect(checks).toEqual([1]);
  await page.reload();
  await shows(page, "down, fixed");
  expect([checks, await page.evaluate("shift"), faults, await page.evaluate("told")]).toEqual([
    [1, 1],
    0,
    [],
    [],
  ]);
  expect(await page.getByText("Thank you").count()).toBe(0);
  await page.locator("[part=up]").click({ force: true });
  await shows(page, "down, fixed");
});

it("a vote is there again in an element that the page has made anew, without a request", async () => {
  const person = newPerson();
  const run = await mintFor(person);
  const { page, checks } = await open(person, thumbs(run));
  await page.locator("[part=up]").click();
  await page.evaluate(`document.querySelector("afterword-thumbs").remove()`);
  await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 5 }]);
  await page.evaluate(
    (html) => document.querySelector("p")!.insertAdjacentHTML("afterend", html),
    thumbs(run),
  );
  await shows(page, "up, fixed");
  expect([checks, await page.getByText("Thank you").count()]).toEqual([[1], 0]);
});

it("a token that takes the place of an expired one brings the thumbs back", async () => {
  const person = newPerson();
  const run = await mintFor(person);
  world.aheadInMs = 400 * 24 * hour;
  const { page } = await open(person, thumbs(run));
  await shows(page, "");
  const { token } = await mintFor(person);
  await page.evaluate((now) => document.querySelector("afterword-thumbs")!.setAttribute("token", now), token);
  await shows(page, "none");
  expect(await page.locator("[part=up]").count()).toBe(1);
});

it("where the key of the element changes while the answer streams, a vote pressed before is shown after", async () => {
  const person = newPerson();
  const run = await mintFor(person);
  const { page } = await open(person, `<div id="temporary">${thumbs(run)}</div>`);
  await page.locator("[part=up]").click();
  // As React does for another key: the new element is there before the old one's callbacks have run.
  await page.evaluate((html) => {
    document.querySelector("#temporary")!.outerHTML = `<div id="final">${html}</div>`;
  }, thumbs(run));
  await shows(page, "up, fixed");
  await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 5 }]);
});
