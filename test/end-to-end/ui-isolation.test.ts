import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { adoptStyle, useGallery } from "./gallery-browser.ts";

const open = useGallery();

const hostile = `
  * {
    font: italic 900 40px/3 fantasy !important; text-transform: uppercase !important; letter-spacing: 1em !important;
    visibility: hidden !important; opacity: 0.1 !important; transform: rotate(30deg) scale(0.3) !important;
    color: red !important; background: lime !important; border: 9px solid !important; padding: 30px !important;
    margin: 30px !important; width: 10px !important; height: 10px !important; position: static !important;
    filter: blur(5px) !important; pointer-events: none !important; direction: rtl !important;
    writing-mode: vertical-rl !important; clip-path: circle(1px) !important; animation: none 9s !important;
    text-align: right !important; white-space: pre !important; word-spacing: 3em !important; cursor: none !important;
    user-select: none !important; max-width: 5px !important; overflow: scroll !important; color-scheme: dark !important;
  }
  div, section, form, fieldset, legend, label, input, button, textarea, span, p, svg { float: left; display: none !important; }
  afterword-view { zoom: 2 !important; display: none !important; top: -999px !important; content-visibility: hidden !important; }
  html { font-size: 5px !important; }
`;

/** Place and look of everything inside the widget. */
const looks = (page: Page) =>
  page.evaluate(() => {
    const names = [
      "font",
      "color",
      "background",
      "text-transform",
      "letter-spacing",
      "visibility",
      "opacity",
      "transform",
    ];
    names.push(
      "direction",
      "writing-mode",
      "filter",
      "cursor",
      "pointer-events",
      "text-align",
      "white-space",
      "display",
    );
    const root = document.querySelector("afterword-view")!.shadowRoot!;
    const card = root.querySelector("section")!.getBoundingClientRect();
    // All but the live region, which speaks when it is time to.
    return [...root.querySelectorAll(":not([role=status], [role=status] *)")].map((element) => {
      const style = getComputedStyle(element);
      const { x, y, width, height } = element.getBoundingClientRect();
      const box = element.checkVisibility() ? [x - card.x, y - card.y, width, height].map(Math.round) : [];
      return [element.localName, ...box, ...names.map((name) => style.getPropertyValue(name))];
    });
  });

describe("isolation", () => {
  it("hostile style of the page does not reach the widget", async () => {
    for (const where of ["corner", "banner bottom"]) {
      const { page, card, radio, close } = await open({ place: where, draft: { rating: 2 } });
      const calm = await looks(page);
      const place = await card.boundingBox();
      await adoptStyle(page, hostile);
      expect(await card.boundingBox()).toEqual(place);
      expect(await looks(page)).toEqual(calm);
      await radio(5).click();
      expect(await radio(5).isChecked()).toBe(true);
      expect(await card.isVisible()).toBe(true);
      await close();
    }
  });

  it("hostile style does not reach an inline widget either, where the page leaves its slot alone", async () => {
    const { page } = await open({ place: "inline", draft: { rating: 2 } });
    const calm = await looks(page);
    await adoptStyle(
      page,
      hostile.replace("* {", "afterword-view {").replace("div, ", "").replace("html {", "#none {"),
    );
    expect(await looks(page)).toEqual(calm);
  });

  it("its style does not leak into the page", async () => {
    const { page } = await open({ later: true });
    const styles = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("body, body *")].map((element) => {
          const style = getComputedStyle(element);
          return [...style].map((name) => style.getPropertyValue(name)).join();
        }),
      );
    const before = await styles();
    await page.evaluate(() => void window.show());
    expect(await styles()).toEqual(before);
  });

  it("nothing of the page's layout moves, and it still takes clicks beside the widget", async () => {
    const { page } = await open();
    await page.click("#host-button");
    await page.click("#host-input");
    await page.keyboard.type("ok");
    expect(await page.inputValue("#host-input")).toBe("ok");
  });
});

describe("a strict content security policy and trusted types", () => {
  it.each(["corner", "banner", "inline"])(
    "%s: works from the question to thanks without a single refusal",
    async (place) => {
      const { card, radio, button, faults, page } = await open({ place, language: "de" });
      await radio(1).check();
      await card.getByRole("textbox").fill("langsam");
      await card.getByRole("checkbox").check();
      await button("Senden").click();
      await card.getByText("Danke").waitFor();
      await button("Schließen").click();
      await card.waitFor({ state: "detached" });
      expect(faults).toEqual([]);
      // The policy is in force: the page itself may not turn a string into markup.
      await expect(page.evaluate(() => (document.body.innerHTML = "<b>x</b>"))).rejects.toThrow(
        /TrustedHTML/,
      );
    },
  );

  it("the built widget contains nothing that turns a string into markup or code", () => {
    for (const file of ["afterword-ui.js", "afterword-asking.js"]) {
      const path = new URL(`../../packages/browser/dist/${file}`, import.meta.url);
      expect(readFileSync(path, "utf8")).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
      );
    }
  });
});

describe("what the server sends is text", () => {
  const payloads = [
    '<img src=x onerror="window.hacked=1">',
    "<script>window.hacked=1</script>",
    '"><svg onload=window.hacked=1>',
    "javascript:window.hacked=1",
    "{{constructor.constructor('window.hacked=1')()}}",
    "&lt;b&gt;&amp;",
    "\u202Egnp.exe \u0000 \uD800 ${window.hacked=1}",
  ];

  /** A survey that says the same text in all places. */
  const told = (type: string, text: string) => ({
    type,
    definition: {
      id: text,
      slug: text,
      question: text,
      followUpQuestion: text,
      endLabels: { low: text, high: text },
      showBadge: true,
    },
    draft: { rating: 1, text },
    options: { privacyLink: text },
  });

  const elements = (card: Locator) =>
    card.locator("*").evaluateAll((all) => all.map((element) => element.localName));

  it.each(payloads)("%s", async (payload) => {
    for (const type of isFullProof ? ["csat", "pmf"] : ["csat"]) {
      const plain = await open(told(type, "plain"));
      const drawn = await elements(plain.card);
      await plain.close();
      const { page, card, faults, close } = await open(told(type, payload));
      const shown = payload.replace("\u0000", "\uFFFD").replace("\uD800", "\uFFFD");
      const legend = (await card.locator("legend").textContent()) ?? "";
      expect(legend.replace(/[\0\uD800]/g, "\uFFFD")).toBe(shown);
      expect(await elements(card)).toEqual(drawn);
      expect(drawn).not.toContain("a");
      expect(await page.evaluate(() => "hacked" in window)).toBe(false);
      expect(faults).toEqual([]);
      await close();
    }
  });

  it("only http and https are linked as a privacy notice", async () => {
    for (const [link, count] of [
      ["https://example.org/p", 1],
      ["http://example.org/p", 1],
      ["data:text/html,x", 0],
      [" javascript:alert(1)", 0],
      ["/relative", 0],
    ] as const) {
      const { card, close } = await open({ options: { privacyLink: link } });
      expect([link, await card.locator("a").count()]).toEqual([link, count]);
      await close();
    }
  });
});
