import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const thumbsScript = `<script type="module" src="/afterword/afterword-thumbs.js"></script>`;

interface Story {
  body?: string;
  before?: string;
  attributes?: string;
  policy?: string;
  surveyId?: string;
  /** Of the text around the thumbs. */
  lang?: string;
  context?: BrowserContextOptions;
  /** Instead of a new one. */
  profile?: BrowserContext;
}

/** A page with thumbs on a run of a person of their own, and its clock in the test's hands. */
async function open(story: Story = {}) {
  const { body, before = "", context, profile, surveyId = "manual", lang, ...options } = story;
  const person = newPerson();
  const run = await world.mint(surveyId, person, `run-of-${person}`);
  const tag = `<afterword-thumbs survey-id="${surveyId}" session-id="${run.sessionId}" token="${run.token}"></afterword-thumbs>`;
  const opened = await world.open(
    {
      ...options,
      body: `${thumbsScript}<main${lang ? ` lang="${lang}"` : ""}><h1>Chat</h1>${body ?? tag}</main>`,
      before: `window.run = ${JSON.stringify(run)}; window.told = []; afterword("identify", "${person}");
        afterword("on", "error", ({ message }) => told.push(message)); ${before}`,
    },
    profile ?? (await world.newContext(context)),
  );
  const { page } = opened;
  // A strict policy forbids the page what `waitForFunction` does.
  await page.evaluate(`customElements.whenDefined("afterword-thumbs").then(() => {})`);
  const button = (name: string) => page.getByRole("button", { name });
  return {
    ...opened,
    run,
    up: button("Good answer"),
    down: button("Bad answer"),
    button,
    stored: () => world.stored(person),
  };
}

const isPressed = (page: Page) =>
  page
    .locator("afterword-thumbs button[title]")
    .evaluateAll((all) => all.map(({ ariaPressed }) => ariaPressed));

const pressedReasons = (page: Page) => page.locator("[part=reason][aria-pressed=true]").allTextContents();

/** The file that sends votes. */
const sendingFile = "/afterword/afterword-asking.js";

describe("thumbs under an answer", () => {
  it("a thumb is a rating on this very run, sent when the hold is over, and fixed then", async () => {
    const { page, up, down, stored, run, faults } = await open();
    await up.waitFor();
    await page.clock.install();
    await up.click();
    expect(await isPressed(page)).toEqual(["true", "false"]);
    expect(await stored()).toEqual([]);
    await page.clock.runFor(4000);
    await page.getByText("Thank you").waitFor();
    await down.click({ force: true });
    expect(await isPressed(page)).toEqual(["true", "false"]);
    expect(await stored()).toMatchObject([{ rating: 5 }]);
    expect((await world.pendingScores()).map(({ sessionId }) => sessionId)).toContain(run.sessionId);
    expect(faults).toEqual([]);
  });

  it("a held vote shows a ring that runs out when it is sent, and an Undo that takes it back", async () => {
    const { page, up, down, button, stored } = await open({
      context: { reducedMotion: "no-preference" },
    });
    await up.click();
    const ring = () =>
      page
        .locator("[part=undo] path")
        .evaluate((path) => path.getAnimations().map(({ effect }) => Number(effect!.getTiming().duration)));
    const [heldInMs] = await ring();
    expect(heldInMs).toBeGreaterThan(3500);
    expect(heldInMs).toBeLessThanOrEqual(4000);
    await down.click();
    expect((await ring())[0]).toBeGreaterThan(19_000);
    await button("Undo").focus();
    await page.keyboard.press("Enter");
    expect([await isPressed(page), await button("Undo").count()]).toEqual([["false", "false"], 0]);
    expect(await page.evaluate("document.activeElement.shadowRoot.activeElement.part.value")).toBe("down");
    await page.goto("about:blank");
    expect(await stored()).toEqual([]);
  });

  it("on a phone the line opens in sight, below the answer that it is about", async () => {
    const answer = `<p id="answer">Lisbon has two airports.</p>`;
    const viewport = `document.head.append(Object.assign(document.createElement("meta"), { name: "viewport", content: "width=device-width" }));`;
    const { page, down } = await open({
      context: { hasTouch: true, isMobile: true, viewport: { width: 360, height: 640 } },
      before: `${viewport} addEventListener("DOMContentLoaded", () => {
        document.querySelector("main").insertAdjacentHTML("beforebegin", "<div id=earlier></div>");
        document.querySelector("#earlier").style.height = "500px";
        document.querySelector("afterword-thumbs").insertAdjacentHTML("beforebegin", ${JSON.stringify(answer)});
      });`,
    });
    await down.tap();
    await page.getByRole("textbox").waitFor();
    const places = await page.evaluate(() => {
      const root = document.querySelector("afterword-thumbs")!.shadowRoot!;
      const [answer, line] = [document.querySelector("#answer")!, root.querySelector("[role=group]")!];
      return [answer.getBoundingClientRect().top, line.getBoundingClientRect().bottom];
    });
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(places[1]).toBeLessThanOrEqual(640);
    expect(places[1]! - places[0]!).toBeLessThan(320);
  });

  it("a double click is one vote, and one reason", async () => {
    const { page, down, button, stored } = await open();
    await down.dblclick();
    expect(await isPressed(page)).toEqual(["false", "true"]);
    await button("Incomplete").dblclick();
    expect(await pressedReasons(page)).toEqual(["Incomplete"]);
    await page.goto("about:blank");
    await expect.poll(stored).toMatchObject([{ rating: 1, text: "Incomplete" }]);
  });

  it.each([
    ["a press elsewhere", (page: Page) => page.locator("h1").click()],
    ["a press on a thumb", (page: Page) => page.locator("[part=up]").click({ force: true })],
    ["a key", (page: Page) => page.keyboard.press("Tab")],
  ])(
    "the line of a vote that time has sent stays, so that nothing moves, and closes at %s",
    async (_, act) => {
      const { page, down } = await open();
      await down.waitFor();
      await page.clock.install();
      await down.click();
      const line = page.locator("afterword-thumbs [role=group]");
      await line.waitFor();
      await page.mouse.move(0, 0);
      await page.clock.runFor(20_000);
      await page.getByText("Thank you").waitFor();
      await page.clock.runFor(60_000);
      expect(await line.evaluate(({ inert, hidden }: HTMLElement) => [inert, hidden])).toEqual([true, false]);
      expect(await down.getAttribute("aria-expanded")).toBe("false");
      await act(page);
      await line.waitFor({ state: "hidden" });
    },
  );

  it.each(["[part=text]", "[part=down]"])(
    "Down says that its line is open; Escape from %s closes it and sends the vote, and the page does not hear it",
    async (from) => {
      const before = `addEventListener("keydown", ({ key }) => told.push(key));`;
      const { page, down, stored } = await open({ before });
      const isExpanded = () => down.getAttribute("aria-expanded");
      await down.waitFor();
      expect(await isExpanded()).toBe("false");
      await down.click();
      await page.getByRole("textbox").waitFor();
      expect(await isExpanded()).toBe("true");
      await page.locator(from).press("Escape");
      await page.getByText("Thank you").waitFor();
      expect([await isExpanded(), await page.getByRole("textbox").count()]).toEqual(["false", 0]);
      expect(await page.evaluate("document.activeElement.shadowRoot.activeElement.part.value")).toBe("down");
      expect([await stored(), await page.evaluate("told")]).toMatchObject([[{ rating: 1, text: null }], []]);
    },
  );

  it("is worked by the keyboard alone, and the focus stays with the thumbs", async () => {
    const { page, down, stored } = await open();
    await down.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("textbox").waitFor();
    // Past Undo and four reasons.
    for (let tab = 0; tab < 6; tab++) await page.keyboard.press("Tab");
    await page.keyboard.type("by keyboard");
    await page.keyboard.press("Enter");
    await page.getByText("Thank you").waitFor();
    expect(await stored()).toMatchObject([{ rating: 1, text: "by keyboard" }]);
    expect(await page.evaluate("document.activeElement.localName")).toBe("afterword-thumbs");
  });

  it.each([
    ["to another site", `location.href = "about:blank"`],
    ["by a reload", `location.reload()`],
    ["by closing the tab", `closeTab()`],
  ])(
    "a vote pressed as soon as there is a button is stored, however soon the page is left: %s",
    async (_, leave) => {
      let arrived = () => {};
      const mayArrive = new Promise<void>((resolve) => (arrived = resolve));
      const profile = await world.newContext();
      await profile.exposeBinding("closeTab", ({ page }) => page.close({ runBeforeUnload: true }));
      await profile.route(`**${sendingFile}`, async (route) => {
        await mayArrive;
        await route.continue();
      });
      const { page, stored } = await open({
        profile,
        before: `customElements.whenDefined("afterword-thumbs").then(() => {
        const { shadowRoot } = document.querySelector("afterword-thumbs");
        new MutationObserver(() => { shadowRoot.querySelector("[part=up]").click(); ${leave}; })
          .observe(shadowRoot, { childList: true });
      });`,
      });
      expect(await page.locator("afterword-thumbs button").count()).toBe(0);
      arrived();
      await expect.poll(stored).toMatchObject([{ rating: 5 }]);
    },
  );

  it("an earlier vote loads nothing that sends", async () => {
    const profile = await world.newContext();
    const asked: string[] = [];
    profile.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const { up } = await open({
      profile,
      body: `<afterword-thumbs survey-id="manual" session-id="earlier" value="up"></afterword-thumbs>`,
    });
    await up.waitFor();
    expect(asked).toContain("/afterword/afterword-thumbs.js");
    expect(asked).not.toContain(sendingFile);
  });
});

describe("the token", () => {
  const body = `<afterword-thumbs survey-id="manual" session-id="later"></afterword-thumbs>`;

  it.each(["", `value="sideways"`])("without one, thumbs with %j render nothing", async (attribute) => {
    const { page } = await open({ body: body.replace(">", ` ${attribute}>`) });
    expect(await page.locator("afterword-thumbs button").count()).toBe(0);
  });
});

describe("everywhere", () => {
  it("a policy without inline style, nonce or trusted types is kept to the letter", async () => {
    const policy =
      `default-src 'none'; script-src 'self'; connect-src ${world.proxy.url}; base-uri 'none'; form-action 'none'; ` +
      "require-trusted-types-for 'script'; trusted-types 'none'";
    const { page, down, button, faults } = await open({
      policy,
      attributes: `data-language="de"`,
      body: undefined,
    });
    await button("Schlechte Antwort").click();
    await button("Unvollständig").click();
    await button("Senden").click();
    await page.getByText("Danke").waitFor();
    expect([await down.count(), faults]).toEqual([0, []]);
  });

  const css = `addEventListener("DOMContentLoaded", () => {
    const sheet = new CSSStyleSheet(); sheet.replaceSync("body { background: #15171c; color: #eceef2 }");
    document.adoptedStyleSheets.push(sheet); });`;
  const touch = (width: number, height: number) => ({
    hasTouch: true,
    isMobile: true,
    viewport: { width, height },
  });
  const viewport = `document.head.append(Object.assign(document.createElement("meta"), { name: "viewport", content: "width=device-width" }));`;
  const looks: [string, Story, least: number][] = [
    ["light", {}, 24],
    ["right to left", { attributes: `data-language="ar"` }, 24],
    ["in a narrow window", { context: { viewport: { width: 320, height: 480 } }, before: viewport }, 24],
    ["on a small phone", { context: touch(320, 568), before: viewport }, 44],
    ["dark", { before: css }, 24],
    ["forced colours", { context: { forcedColors: "active" } }, 24],
    ["on a phone", { context: touch(360, 640), before: viewport }, 44],
    ["on a tablet", { context: touch(820, 1180), before: viewport }, 44],
    ["on a laptop with a touch screen", { context: touch(1366, 768), before: viewport }, 44],
  ];
  it.each(isFullProof ? looks : looks.slice(0, 4))(
    "%s: every button is large enough, and nothing overflows",
    async (_, story, least) => {
      const { page } = await open(story);
      await page.locator("[part=down]").click();
      await page.getByRole("textbox").waitFor();
      const boxes = await page
        .locator("afterword-thumbs button")
        .evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height)),
        );
      expect(boxes).toHaveLength(8);
      expect(await page.evaluate(`matchMedia("(pointer: coarse)").matches`)).toBe(least === 44);
      expect(Math.min(...boxes)).toBeGreaterThanOrEqual(least);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    },
  );
});
