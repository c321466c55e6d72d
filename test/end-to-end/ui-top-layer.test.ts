import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { useGallery } from "./gallery-browser.ts";

declare global {
  interface Window {
    closeDialog: () => void;
  }
}

const open = useGallery();

/** Adds a modal dialog of the page with a button in it, and opens it. */
const openDialog = (page: Page, id = "dialog") =>
  page.evaluate((id) => {
    const dialog = document.createElement("dialog");
    dialog.id = id;
    dialog.append(document.createElement("button"));
    document.body.append(dialog);
    dialog.showModal();
  }, id);

describe("above everything else in the page", () => {
  it("a modal dialog that is open already: the widget is above it and can be used", async () => {
    const { page, card, radio, button } = await open({ later: true });
    await openDialog(page);
    await page.evaluate(() => void window.show("?type=csat"));
    await radio(4).click();
    await card.getByRole("textbox").fill("fine");
    await button("Send").click();
    await card.getByText("Thank you").waitFor();
    expect(await page.locator("#dialog").isVisible()).toBe(true);
  });

  it("a modal dialog that opens later, and another one in front of it", async () => {
    const { page, radio } = await open();
    await openDialog(page, "first");
    await radio(2).click();
    await openDialog(page, "second");
    await radio(3).click();
    await page.evaluate(() => document.querySelector<HTMLDialogElement>("#second")!.close());
    await radio(4).click();
    await page.evaluate(() => document.querySelector<HTMLDialogElement>("#first")!.close());
    await radio(5).click();
    expect(await radio(5).isChecked()).toBe(true);
  });

  it("a dialog that the page removes does not take the widget with it", async () => {
    const { page, card, radio } = await open({ draft: { rating: 2, text: "half a thou" } });
    await openDialog(page);
    await card.getByRole("textbox").fill("half a thought");
    await page.evaluate(() => document.querySelector("dialog")!.remove());
    await radio(4).click();
    expect(await card.getByRole("textbox").inputValue()).toBe("half a thought");
  });

  it("escape inside closes the widget and not the dialog around it; escape in the dialog only the dialog", async () => {
    const first = await open();
    await openDialog(first.page);
    await first.radio(2).focus();
    await first.page.keyboard.press("Escape");
    await first.card.waitFor({ state: "detached" });
    expect(await first.page.locator("dialog").isVisible()).toBe(true);

    const second = await open();
    await openDialog(second.page);
    await second.page.keyboard.press("Escape");
    expect(await second.page.locator("dialog").isVisible()).toBe(false);
    expect(await second.card.isVisible()).toBe(true);
  });

  it("popovers of the page, and the highest z-index", async () => {
    const { page, radio } = await open();
    await page.evaluate(() => {
      const cover = document.createElement("div");
      cover.id = "cover";
      cover.popover = "manual";
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        "#cover, #high { position: fixed; inset: 0; width: auto; height: auto } #high { z-index: 2147483647 }",
      );
      document.adoptedStyleSheets.push(sheet);
      const high = document.createElement("div");
      high.id = "high";
      document.body.append(cover, high);
      cover.showPopover();
    });
    await radio(4).click();
    expect(await radio(4).isChecked()).toBe(true);
  });

  it("does not compete forever with a popover of the page that also stays on top", async () => {
    const { page, card } = await open();
    const shown = await page.evaluate(async () => {
      const other = document.createElement("div");
      other.popover = "manual";
      document.body.append(other);
      let count = 0;
      document.addEventListener(
        "toggle",
        (event) => {
          if (event.target === other || (event as ToggleEvent).newState !== "open") return;
          count++;
          other.hidePopover();
          other.showPopover();
        },
        true,
      );
      other.showPopover();
      for (let frame = 0; frame < 60; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
      return count;
    });
    expect(shown).toBeLessThan(30);
    expect(await card.isVisible()).toBe(true);
  });

  it("a page that keeps removing it wins: the survey ends as closed, and the page keeps working", async () => {
    const { page, card, reports, faults } = await open({ later: true });
    await page.evaluate(() => {
      const clear = () =>
        document.querySelectorAll("html > :not(head, body)").forEach((stranger) => stranger.remove());
      new MutationObserver(clear).observe(document.documentElement, { childList: true });
    });
    await page.evaluate(() => void window.show("?type=csat"));
    await expect.poll(reports).toEqual([["leave"], ["closed"]]);
    expect(await card.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("in a transformed body it stands at the corner of the window", async () => {
    const { page, card } = await open({ later: true });
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        "body { transform: translate(300px, 200px) scale(0.5); filter: grayscale(1); overflow: hidden }",
      );
      document.adoptedStyleSheets.push(sheet);
      window.show("?type=csat");
    });
    const box = (await card.boundingBox())!;
    const { width, height } = page.viewportSize()!;
    expect([width - box.x - box.width, height - box.y - box.height].map(Math.round)).toEqual([24, 24]);
  });

  it("it survives navigation of the page's router and a replaced body, with what was typed", async () => {
    const { page, card, radio } = await open({ draft: { rating: 2 } });
    await card.getByRole("textbox").fill("still here");
    await page.evaluate(() => {
      history.pushState({}, "", "/elsewhere");
      const body = document.createElement("body");
      body.append("another page");
      document.body.replaceWith(body);
    });
    expect(await card.getByRole("textbox").inputValue()).toBe("still here");
    await radio(5).click();
    expect(await radio(5).isChecked()).toBe(true);
  });
});

/** Whether the person sees it; what one sees can be used. */
const isSeen = (card: Locator) => card.evaluate((element) => element.checkVisibility());

/** A modal dialog in a shadow root of the page, opened. */
const openHiddenDialog = (page: Page, mode: ShadowRootMode, restoresFocus: boolean) =>
  page.evaluate(
    ({ mode, restoresFocus }) => {
      if (restoresFocus) document.querySelector<HTMLElement>("#host-input")!.focus();
      const outer = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
      const root = outer.appendChild(document.createElement("div")).attachShadow({ mode });
      const dialog = root.appendChild(document.createElement("dialog"));
      dialog.append(document.createElement("button"));
      window.closeDialog = () => dialog.close();
      dialog.showModal();
    },
    { mode, restoresFocus },
  );

describe("what is seen can be used", () => {
  const dialogs: [ShadowRootMode, boolean][] = [
    ["open", true],
    ["closed", false],
    ["open", false],
    ["closed", true],
  ];
  it.each(isFullProof ? dialogs : dialogs.slice(0, 2))(
    "behind a modal dialog in a shadow root (%s, focus restored: %s) it waits unseen, and comes back with what was typed",
    async (mode, restoresFocus) => {
      const { page, card, radio, reports } = await open({ draft: { rating: 2, text: "typed" } });
      await openHiddenDialog(page, mode, restoresFocus);
      await expect.poll(() => isSeen(card)).toBe(false);
      await page.evaluate(() => window.closeDialog());
      await expect.poll(() => isSeen(card)).toBe(true);
      await radio(4).click();
      expect(await card.getByRole("textbox").inputValue()).toBe("typed");
      expect((await reports()).map(([name]) => name)).toEqual(["rated", "saveDraft"]);
    },
  );

  it.each(["before", "after"])("with an element of the page that went fullscreen %s it", async (when) => {
    const { page, card, radio, button } = await open({ later: true });
    if (when === "after") await page.evaluate(() => void window.show("?type=csat"));
    await page.locator("main h1").evaluate((title) => {
      title.addEventListener("click", () => title.requestFullscreen());
    });
    await page.locator("main h1").click();
    await page.waitForFunction(() => document.fullscreenElement);
    if (when === "before") await page.evaluate(() => void window.show("?type=csat"));
    await radio(4).click();
    await card.getByRole("textbox").pressSequentially("typed");
    await page.evaluate(() => document.exitFullscreen());
    expect(await card.getByRole("textbox").inputValue()).toBe("typed");
    await button("Send").click();
    await card.getByText("Thank you").waitFor();
  });

  it("behind a full-screen video it waits hidden", async () => {
    const { page, card, radio } = await open();
    await page.evaluate(() => {
      const film = document.body.appendChild(document.createElement("video"));
      film.id = "film";
      film.width = film.height = 50;
      film.addEventListener("click", () => film.requestFullscreen());
    });
    await page.click("#film");
    await page.waitForFunction(() => document.fullscreenElement);
    await expect.poll(() => isSeen(card)).toBe(false);
    await page.evaluate(() => document.exitFullscreen());
    await radio(4).click();
    expect(await radio(4).isChecked()).toBe(true);
  });

  it("while the page makes everything else inert, as some modals do", async () => {
    const { page, card, radio } = await open();
    await page.evaluate(() => {
      const view = document.querySelector<HTMLElement>("afterword-view")!;
      view.inert = true;
      view.ariaHidden = "true";
      document.querySelector<HTMLElement>("#host-input")!.focus();
    });
    await radio(4).click();
    expect(await radio(4).isChecked()).toBe(true);
    expect(await card.evaluate((card) => card.closest("[aria-hidden]"))).toBe(null);
  });
});
