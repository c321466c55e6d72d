import { describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();
const focusedId = () => document.activeElement?.id || document.activeElement?.localName;

describe("politeness", () => {
  it.each(["corner", "banner", "inline"])(
    "%s: takes no focus, caret, selection or scroll when it appears",
    async (place) => {
      const { page, card } = await open({ later: true, place });
      await page.evaluate(() => (document.querySelector("main")!.style.paddingBottom = "3000px"));
      await page.focus("#host-input");
      await page.keyboard.type("ab");
      await page.keyboard.press("Shift+ArrowLeft");
      await page.evaluate(() => scrollTo(0, 120));
      await page.evaluate(() => void window.show());
      await card.waitFor();
      const after = await page.evaluate(() => {
        const input = document.querySelector<HTMLInputElement>("#host-input")!;
        return [document.activeElement === input, input.selectionStart, input.selectionEnd, scrollY];
      });
      expect(after).toEqual([true, 1, 2, 120]);
      await page.keyboard.type("cd");
      expect(await page.inputValue("#host-input")).toBe("acd");
    },
  );

  it("takes the focus when the person opened it, and gives it back", async () => {
    const { page, card, radio } = await open({ later: true });
    await page.focus("#host-button");
    await page.evaluate(() => void window.show("?type=csat&opened=true"));
    expect(await radio(1).evaluate((element) => element.matches(":focus"))).toBe(true);
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    expect(await page.evaluate(focusedId)).toBe("host-button");
  });

  it("takes no focus when the person went on before its words arrived", async () => {
    const { page, card } = await open({ later: true });
    await page.route("**/de-*.js", async (route) => {
      await page.focus("#host-input");
      await page.keyboard.type("meanwhile");
      await route.continue();
    });
    await page.focus("#host-button");
    await page.evaluate(() => void window.show("?type=csat&opened=true&language=de"));
    await card.waitFor();
    expect(await page.evaluate(focusedId)).toBe("host-input");
    expect(await page.inputValue("#host-input")).toBe("meanwhile");
  });

  it("escape outside reaches the page and closes nothing", async () => {
    const { page, card } = await open();
    await page.evaluate(() =>
      document.addEventListener("keydown", (event) => (document.body.dataset.key = event.key)),
    );
    await page.focus("#host-input");
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.body.dataset.key)).toBe("Escape");
    expect(await card.isVisible()).toBe(true);
  });

  it("keys pressed inside stop at the widget, escape included", async () => {
    const { page, card } = await open({ type: "csat", draft: { rating: 2 } });
    await page.evaluate(() => {
      document.body.dataset.keys = "";
      for (const type of ["keydown", "keypress", "keyup"]) {
        document.addEventListener(
          type,
          (event) => (document.body.dataset.keys += (event as KeyboardEvent).key),
        );
      }
    });
    await card.getByRole("textbox").focus();
    await page.keyboard.type("k1");
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.body.dataset.keys)).toBe("");
  });

  it("the focus goes back to where it was, by the close button too", async () => {
    const { page, card, button } = await open();
    await page.focus("#host-input");
    await button("Close").focus();
    await page.keyboard.press("Enter");
    await card.waitFor({ state: "detached" });
    expect(await page.evaluate(focusedId)).toBe("host-input");
  });

  it("when that element is gone, the focus goes to the nearest one around it, never to the body", async () => {
    const { page, card, button } = await open();
    await page.focus("#host-input");
    await button("Close").focus();
    await page.evaluate(() => document.querySelector("#host-input")!.remove());
    await page.keyboard.press("Enter");
    await card.waitFor({ state: "detached" });
    expect(await page.evaluate(focusedId)).toBe("label");
    await page.focus("#host-button");
    expect(await page.locator("main [tabindex]").count()).toBe(0);
  });

  it("focus inside an open shadow root of the page is found again", async () => {
    const { page, card, button } = await open();
    await page.evaluate(() => {
      const root = document.querySelector("#slot")!.attachShadow({ mode: "open" });
      root.append(document.createElement("button"));
      root.querySelector("button")!.focus();
    });
    await button("Close").focus();
    await page.keyboard.press("Enter");
    await card.waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName)).toBe(
      "button",
    );
  });

  it("pressing send never drops the focus to the body", async () => {
    const { page, card, button, radio } = await open({ type: "csat", draft: { rating: 4 } });
    await button("Send").focus();
    await page.keyboard.press("Enter");
    await card.getByText("Thank you").waitFor();
    expect(await card.evaluate((element) => element.matches(":focus"))).toBe(true);
    await radio(4).waitFor({ state: "detached" });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await card.waitFor({ state: "detached" });
  });
});
