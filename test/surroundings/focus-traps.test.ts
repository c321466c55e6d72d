import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { newPerson, useWorld } from "../end-to-end/browser-world.ts";
import { withoutTokenChecks } from "../end-to-end/fault-proxy.ts";

const world = useWorld();
beforeAll(() => void (world.proxy.fault = withoutTokenChecks));
let bundle = "";

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("dialogs-page.jsx", import.meta.url))],
    bundle: true,
    minify: true,
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
  });
  bundle = outputFiles[0]!.text;
});

const css = readFileSync(
  fileURLToPath(new URL("node_modules/@mantine/core/styles.css", import.meta.url)),
  "utf8",
);
/** Dialogs at the left, so that what stands beside them is in sight, and nothing over the page. */
const style = `${css}
  .dialog { position: fixed !important; inset: 0 auto auto 0 !important; width: 300px !important; height: auto; background: #fff }
  .mantine-Modal-overlay { display: none } .mantine-Modal-inner { width: 300px !important }
  body { height: 3000px; margin: 0 }
  main { position: fixed; left: 320px; top: 0; width: 380px }`;

const survey = {
  id: "trap",
  slug: "trap",
  type: "csat",
  question: "How did it go?",
  followUpQuestion: "What was missing?",
  suggestions: { low: Array.from({ length: 9 }, (_, at) => `A reason that takes a line of its own, ${at}`) },
  trigger: "manual",
  status: "active",
};

async function openPage(height = 330) {
  const context = await world.newContext({ viewport: { width: 720, height }, hasTouch: true });
  const { page } = await world.open(
    {
      body: `<main><div id="beside"></div></main>
        <script type="module" src="/afterword/afterword-thumbs.js"></script>`,
      before: `afterword("identify", "${newPerson()}");`,
    },
    context,
  );
  await page.addStyleTag({ content: style });
  await page.addScriptTag({ content: bundle });
  await page.waitForFunction("afterword.isOpen");
  return page;
}

const openDialog = async (page: Page, kind: string) => {
  await page.evaluate(
    (kind) => (window as unknown as { openDialog(kind: string): void }).openDialog(kind),
    kind,
  );
  await page.locator("#field:focus").waitFor();
  // A drawer slides in.
  await page.locator(".dialog").evaluate(async (dialog) => {
    await Promise.all(dialog.getAnimations().map(({ finished }) => finished));
  });
};

const cardOf = (page: Page) => page.locator("afterword-view section");

/** Shows a survey in a place: over the page, beside the dialog or in it. */
async function show(page: Page, presentation: string, slot = "") {
  await page.evaluate(
    ([survey, presentation, slot]) => {
      // An element of this page has no room for reasons, and does not scroll.
      const definition = { ...(survey as object), presentation, ...(slot && { suggestions: {} }) };
      const call = (window as unknown as { afterword(...given: unknown[]): void }).afterword;
      call("preview", definition, slot ? { slot: document.querySelector(slot as string) } : undefined);
    },
    [survey, presentation, slot] as const,
  );
  await page.locator(`${slot || "html > "} afterword-view section`).waitFor();
}

const scrolled = (card: Locator) => card.locator("form").evaluate((form) => form.scrollTop);

/** Scrolls by a wheel and then by a finger, from the middle of the card. */
async function scroll(page: Page, card: Locator) {
  const box = (await card.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, 40);
  await expect.poll(() => scrolled(card)).toBeGreaterThan(20);
  await card.locator("form").evaluate((form) => (form.scrollTop = 0));
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: { x: number; y: number }[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", { x, y });
  for (let moved = 10; moved < 90; moved += 10) await touch("touchMove", { x, y: y - moved });
  await touch("touchEnd");
  await expect.poll(() => scrolled(card)).toBeGreaterThan(20);
}

/** Types, selects a word by a double click, and selects up to a place outside of the field. */
async function write(page: Page, field: Locator) {
  await field.click();
  await page.keyboard.type("hello");
  expect(await field.inputValue()).toBe("hello");
  await field.dblclick({ position: { x: 20, y: 16 } });
  await page.keyboard.type("again");
  expect(await field.inputValue()).toBe("again");
  const { x, y } = (await field.boundingBox())!;
  await page.mouse.move(x + 30, y + 16);
  await page.mouse.down();
  await page.mouse.move(x - 8, y + 16, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.type("y");
  expect(await field.inputValue()).toMatch(/^y.{1,3}$/);
  await expectOpen(page);
}

/** The dialog is there, and nothing was typed into its field. */
async function expectOpen(page: Page) {
  expect(await page.locator("#field").inputValue()).toBe("");
  expect(await page.locator(".dialog").count()).toBe(1);
}

async function rateAndWrite(page: Page) {
  await cardOf(page).locator("input[value='2']").click();
  await write(page, cardOf(page).locator("textarea"));
}

/** Thumbs in an element: a press on Down, and a text. */
async function useThumbs(page: Page, parent: string) {
  await page.locator(parent).evaluate((element) => {
    element.innerHTML = `<afterword-thumbs survey-id="worded" session-id="${element.id}" token="t"></afterword-thumbs>`;
  });
  await page.locator(`${parent} [part=down]`).click();
  await write(page, page.locator(`${parent} [part=text]`));
  await page.locator(`${parent} [part=reason]`).first().click();
  await expectOpen(page);
}

/** Those that make the rest of the page inert, with the surveys and thumbs in it. */
const inert = ["React Aria", "that makes all else inert"];
const kinds = [...inert, "Radix", "Mantine", "Vaul", "focus-trap", "at the window", "by focusout", "Lenis"];

describe.each(kinds)("beside a dialog: %s", (kind) => {
  it("a survey over the page takes rating, text, selection and scrolling, whichever opened first", async () => {
    for (const places of [["corner"], ["", "banner"]]) {
      const page = await openPage();
      for (const place of [places[0], "dialog", places[1]])
        if (place === "dialog") await openDialog(page, kind);
        else if (place) await show(page, place);
      await rateAndWrite(page);
      await scroll(page, cardOf(page));
      await expectOpen(page);
      expect(await page.locator("afterword-view:is([inert], [aria-hidden])").count()).toBe(0);
      await page.close();
    }
  });

  it("so do surveys in elements and thumbs, in the dialog and beside it", async () => {
    // The dialog is fixed, and the card taller than the window of the test before. Of this height from the start: Vaul
    // keeps its drawer's height once a window that changes its size looks like a keyboard.
    const page = await openPage(1200);
    await openDialog(page, kind);
    const parents = inert.includes(kind) ? ["#inside"] : ["#inside", "#beside"];
    for (const parent of parents) {
      await show(page, "inline", parent);
      await rateAndWrite(page);
      await useThumbs(page, parent);
    }
    const pressed = page.locator("afterword-thumbs [part=reason][aria-pressed=true]");
    expect(await pressed.count()).toBe(parents.length);
  });
});

describe("a page beside a survey", () => {
  it("hears that its field lost the focus once that is elsewhere in the page", async () => {
    const page = await openPage();
    await page.evaluate(() => {
      document.body.insertAdjacentHTML("beforeend", "<input id=one><input id=two>");
      const heard: string[] = [];
      for (const type of ["focusin", "focusout"])
        document.addEventListener(type, ({ target }) => heard.push(`${type} ${(target as Element).id}`));
      Object.assign(window, { heard });
    });
    const heard = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard.splice(0));
    await show(page, "corner");
    await page.locator("#one").click();
    await cardOf(page).locator("input[value='2']").click();
    await cardOf(page).getByRole("textbox").fill("typed");
    expect(await heard()).toEqual(["focusin one"]);
    await page.locator("#two").click();
    expect(await heard()).toEqual(["focusout one", "focusin two"]);
  });

  it("keeps its scrolling where the card has nothing to scroll, and its drags that end on the card", async () => {
    const page = await openPage();
    await show(page, "corner");
    await page.evaluate(() => {
      const heard: string[] = [];
      for (const type of ["wheel", "mouseup"]) addEventListener(type, () => heard.push(type));
      Object.assign(window, { heard });
    });
    const { x, y } = (await cardOf(page).boundingBox())!;
    await page.mouse.move(10, 10);
    await page.mouse.down();
    await page.mouse.move(x + 20, y + 20);
    await page.mouse.up();
    await page.mouse.wheel(0, 5);
    await expect.poll(() => page.evaluate("heard")).toEqual(["mouseup", "wheel"]);
  });
});
