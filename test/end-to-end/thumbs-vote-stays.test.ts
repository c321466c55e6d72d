import { mkdirSync } from "node:fs";
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const pictures = process.env["PICTURES"];
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

/** Votes, and leaves the page, which sends the vote. */
async function vote(person: string, run: Run, part = "up") {
  const { page } = await open(person, thumbs(run));
  await page.locator(`[part=${part}]`).click();
  await page.goto("about:blank");
  await expect.poll(() => world.stored(person)).toHaveLength(1);
}

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
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({
      path: `${pictures}/thumbs-restored.png`,
      clip: { x: 0, y: 0, width: 400, height: 200 },
    });
  }
});

it("a vote is there on another device, also with another token of the run", async () => {
  const person = newPerson();
  const [run, other] = [await mintFor(person), await mintFor(person)];
  expect(run.token).not.toBe(other.token);
  await vote(person, run);
  const { page } = await open(person, thumbs(other));
  await shows(page, "up, fixed");
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

it("a vote that waits offline is there again after a reload, without asking the service", async () => {
  const person = newPerson();
  const run = await mintFor(person);
  const { page, checks } = await open(person, thumbs(run), `data-consent="granted"`);
  await page.locator("[part=up]").waitFor();
  world.proxy.fault = ({ path }) => (path === "/v1/sdk/responses" ? "lost" : undefined);
  await page.locator("[part=up]").click();
  await page.reload();
  await shows(page, "up, fixed");
  expect(checks).toEqual([1]);
});

it("two elements of a run show each change at once, also a withdrawal by the other one, and what became of it", async () => {
  const person = newPerson();
  const run = await mintFor(person);
  const { page } = await open(person, thumbs(run) + thumbs(run));
  const [first, second] = [page.locator("afterword-thumbs").first(), page.locator("afterword-thumbs").last()];
  await first.locator("[part=down]").click();
  await shows(page, "down", "down");
  expect([await first.getByRole("textbox").count(), await second.getByRole("textbox").count()]).toEqual([
    1, 0,
  ]);
  await second.getByRole("button", { name: "Undo" }).click();
  await shows(page, "none", "none");
  await second.locator("[part=up]").click();
  await shows(page, "up", "up");
  await second.evaluate((element) => element.remove());
  await shows(page, "up, fixed");
  await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 5 }]);
});

it("an expired token, and a forged one, leave the space empty; with getToken the press mints", async () => {
  const person = newPerson();
  const run = await mintFor(person);
  const forged = { ...run, sessionId: "forged", token: "st2.forged" };
  world.aheadInMs = 400 * 24 * hour;
  const later = await mintFor(person, "minted-late");
  const mints = { ...later, token: run.token };
  const { page } = await open(person, thumbs(run) + thumbs(forged) + thumbs(mints));
  await page.evaluate((token) => {
    Object.assign(document.querySelectorAll("afterword-thumbs")[2]!, { getToken: async () => token });
  }, later.token);
  await shows(page, "", "", "none");
  expect(await page.evaluate("shift")).toBe(0);
  const size = await page
    .locator("afterword-thumbs")
    .first()
    .evaluate(({ shadowRoot }) => shadowRoot!.firstElementChild!.getBoundingClientRect().width);
  expect(size).toBe(68);
  await page.locator("[part=up]").click();
  await page.goto("about:blank");
  await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 5 }]);
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

it("a hundred thumbs of a page ask in one request", async () => {
  const person = newPerson();
  const runs = await Promise.all(
    Array.from({ length: 100 }, (_, index) => mintFor(person, `${person}-${index}`)),
  );
  await vote(person, runs[42]!);
  const { page, checks } = await open(person, runs.map(thumbs).join(""));
  await expect.poll(async () => (await votes(page)).indexOf("up, fixed")).toBe(42);
  expect(checks).toEqual([100]);
});
