import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { newPerson, useWorld } from "../end-to-end/browser-world.ts";

const world = useWorld();
const thumbsScript = `<script type="module" src="/afterword/afterword-thumbs.js"></script>`;
const guide = readFileSync(fileURLToPath(new URL("../../docs/browser/thumbs.md", import.meta.url)), "utf8");
const rules = /```css\n(afterword-thumbs:not\(:defined\)[^]*?)```/.exec(guide)![1]!;
const survey = `<afterword-survey slug="in-the-page"></afterword-survey>`;

async function open(body: string, css = "", width = 390, person = newPerson()) {
  const context = await world.newContext({ viewport: { width, height: 700 } });
  const before = `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(css + rules)});
    document.adoptedStyleSheets = [sheet]; } afterword("identify", "${person}");`;
  return (await world.open({ body, before }, context)).page;
}

describe("an inline survey is no wider than its container", () => {
  const boxes = {
    "a grid": `<div style="display:grid">${survey}</div>`,
    "a grid with auto columns": `<div style="display:grid;grid-template-columns:auto auto"><b>Hi</b>${survey}</div>`,
    "a flex row": `<div style="display:flex"><b>Hi</b>${survey}</div>`,
    "a column that centers": `<div style="display:flex;flex-direction:column;align-items:center">${survey}</div>`,
    "an inline block": `<div style="display:inline-block">${survey}</div>`,
    "a float": `<div style="float:left">${survey}</div>`,
    "a cell of a table": `<table><tr><td>${survey}</table>`,
    "a page from right to left": `<div dir="rtl" style="display:grid">${survey}</div>`,
  };
  it.each(Object.entries(boxes))("%s, at 390 and 320 px", async (_, box) => {
    for (const width of [390, 320]) {
      const page = await open(`<main style="width:${width - 30}px">${box}</main>`, "", width);
      await page.locator("afterword-view form").waitFor();
      const [over, card] = await page.evaluate(() => [
        document.querySelector("main")!.scrollWidth - document.querySelector("main")!.clientWidth,
        document.querySelector("afterword-view")!.getBoundingClientRect().width,
      ]);
      expect(over).toBe(0);
      expect(card).toBeGreaterThan(240);
    }
  });

  it("and takes 25em where there is room", async () => {
    const page = await open(`<div style="display:inline-block">${survey}</div>`, "", 1200);
    const box = await page.locator("afterword-view").boundingBox();
    expect(box!.width).toBeGreaterThan(370);
    expect(box!.width).toBeLessThan(420);
  });
});

it("thanks leave no hole where the page reserved the question's space", async () => {
  const page = await open(`${survey}<p id="below">Below</p>`);
  await page.locator("afterword-view [type=radio]").nth(5).click();
  await page.locator("afterword-view [part=send]").click();
  await page.getByText("Thank you").waitFor();
  const gap = await page.evaluate(() => {
    const card = document.querySelector("afterword-view")!.getBoundingClientRect();
    return document.querySelector("#below")!.getBoundingClientRect().top - card.bottom;
  });
  expect(gap).toBeLessThan(30);
});

describe("the reasons of thumbs open below their row, and neither it nor its container gets wider", () => {
  const buttons = (thumbs: string, style: string) =>
    `<div id="row" style="${style}"><button>Copy</button><button>Retry</button>${thumbs}<button>Share</button></div>`;
  const rows: Record<string, (thumbs: string) => string> = {
    "a flex row": (thumbs) => buttons(thumbs, "display:flex;gap:8px;align-items:center"),
    "a flex row of its own height": (thumbs) =>
      buttons(thumbs, "display:flex;height:32px;align-items:center;box-sizing:border-box"),
    "a row at the right": (thumbs) => buttons(thumbs, "display:flex;justify-content:flex-end"),
    "a row with the thumbs in an element of their own": (thumbs) =>
      buttons(`<span>${thumbs}</span>`, "display:inline-flex;align-items:center"),
    "a grid": (thumbs) => buttons(thumbs, "display:grid;grid-auto-flow:column;justify-content:start"),
    "buttons in a line of text": (thumbs) => buttons(thumbs, ""),
    "a row from right to left": (thumbs) => `<div dir="rtl">${buttons(thumbs, "display:flex")}</div>`,
    "a row in a bubble as wide as its words": (thumbs) =>
      `<div style="display:flex;align-items:flex-start"><b>AI</b><div id="bubble" style="padding:8px">
        <p>A short answer.</p>${buttons(thumbs, "display:flex")}</div></div>`,
    "a cell of a table": (thumbs) => `<table><tr><td>An answer<td>${thumbs}<td>Today</table>`,
  };

  describe.each([1280, 390])("at %d px", (width) => {
    it.each(Object.entries(rows))("%s", async (_, row) => {
      const person = newPerson();
      const { token, sessionId } = await world.mint("manual", person, `run-of-${person}`);
      const thumbs = `<afterword-thumbs survey-id="manual" session-id="${sessionId}" token="${token}"></afterword-thumbs>`;
      const body = `${thumbsScript}<main>${row(thumbs)}<p id="below">Below</p></main>`;
      const page = await open(body, "", width, person);
      const places = () =>
        page.evaluate(() => {
          const box = (selector: string) =>
            [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
          return {
            sizes: box("main b, main button, #row").map((one) => [one.width, one.height]),
            before: box("main b, #bubble, #row, main button:first-child").map((one) => [one.left, one.top]),
            widths: box("#bubble, main").map((one) => one.width),
            over: document.documentElement.scrollWidth - innerWidth,
          };
        });
      const before = await places();
      await page.locator("[part=down]").click();
      const line = page.locator("afterword-thumbs [role=group]");
      await line.waitFor();
      expect(await places()).toEqual({ ...before, over: 0 });
      const [opened, thumb, below] = await Promise.all(
        [line, page.locator("[part=down]"), page.locator("#below")].map((one) => one.boundingBox()),
      );
      expect(opened!.y).toBeGreaterThanOrEqual(thumb!.y + thumb!.height);
      expect(opened!.width).toBeGreaterThan(Math.min(width, 480) / 2);
      expect(below!.y).toBeGreaterThanOrEqual(opened!.y + opened!.height);
      await page.keyboard.press("Escape");
      await line.waitFor({ state: "hidden" });
      expect((await places()).over).toBe(0);
    });
  });
});
