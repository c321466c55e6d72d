import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { newPerson, useWorld } from "../end-to-end/browser-world.ts";

const world = useWorld();
const guide = readFileSync(fileURLToPath(new URL("../../docs/browser/thumbs.md", import.meta.url)), "utf8");
const rules = /```css\n(afterword-thumbs:not\(:defined\)[^]*?)```/.exec(guide)![1]!;
const survey = `<afterword-survey slug="in-the-page"></afterword-survey>`;

async function open(body: string, css = "", width = 390) {
  const context = await world.newContext({ viewport: { width, height: 700 } });
  const before = `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(css + rules)});
    document.adoptedStyleSheets = [sheet]; } afterword("identify", "${newPerson()}");`;
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
