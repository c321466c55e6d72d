import { describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();

describe("by keyboard", () => {
  it("the ratings are one tab stop, after which come text, skip, send and close", async () => {
    const { page, card, radio } = await open({ type: "nps", draft: { rating: 7 } });
    await page.focus("#host-input");
    await page.keyboard.press("Tab");
    expect(await radio(7).evaluate((element) => element.matches(":focus"))).toBe(true);
    const stops: string[] = [];
    for (let index = 0; index < 4; index++) {
      await page.keyboard.press("Tab");
      stops.push(
        await card.locator(":focus").evaluate((element) => element.getAttribute("part") ?? element.id),
      );
    }
    expect(stops).toEqual(["text", "skip", "send", "close"]);
  });

  it("arrows move and choose without sending", async () => {
    const { page, radio, reports } = await open({ type: "csat", draft: { rating: 3 } });
    await radio(3).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    expect(await radio(4).isChecked()).toBe(true);
    const told = await reports();
    expect(told.filter(([name]) => name === "rated")).toEqual([
      ["rated", 4],
      ["rated", 5],
      ["rated", 4],
    ]);
    expect(told.map(([name]) => name)).not.toContain("submit");
  });

  it("arrows are mirrored from right to left, where the lowest rating is at the right", async () => {
    const { page, radio } = await open({ type: "csat", language: "ar", draft: { rating: 3 } });
    const [low, high] = [await radio(1).boundingBox(), await radio(5).boundingBox()];
    expect(low!.x).toBeGreaterThan(high!.x);
    await radio(3).focus();
    await page.keyboard.press("ArrowLeft");
    expect(await radio(4).isChecked()).toBe(true);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await radio(2).isChecked()).toBe(true);
  });

  it("space chooses, tab leaves, and nothing is sent before the button", async () => {
    const { page, reports } = await open({ type: "ces" });
    await page.focus("#host-input");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.type("quick");
    expect((await reports()).map(([name]) => name)).not.toContain("submit");
    // Past the box and skip, to send.
    for (let stop = 0; stop < 3; stop++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect((await reports()).at(-1)).toEqual(["submit", { rating: 1, text: "quick" }]);
  });

  it("digits choose: 1 and then 0 is 10", async () => {
    const { page, radio, reports } = await open({ type: "nps", opened: true });
    await page.keyboard.press("8");
    expect(await radio(8).isChecked()).toBe(true);
    await page.keyboard.press("1");
    await page.keyboard.press("0");
    expect(await radio(10).isChecked()).toBe(true);
    expect(await radio(10).evaluate((element) => element.matches(":focus"))).toBe(true);
    await page.keyboard.press("0");
    expect(await radio(0).isChecked()).toBe(true);
    expect((await reports()).map(([name]) => name)).not.toContain("submit");
  });

  it("digits off the scale, with a modifier, or in the text choose nothing", async () => {
    const { page, radio, radios, card } = await open({ type: "csat", opened: true });
    await page.keyboard.press("0");
    await page.keyboard.press("6");
    await page.keyboard.press("Control+2");
    expect(await radios.evaluateAll((all) => all.some((one) => (one as HTMLInputElement).checked))).toBe(
      false,
    );
    await radio(4).check();
    await card.getByRole("textbox").fill("");
    await page.keyboard.type("2 of 5");
    expect(await radio(4).isChecked()).toBe(true);
  });

  it("enter on a rating sends it, and so does control and enter in the text", async () => {
    const first = await open({ type: "csat", opened: true });
    await first.page.keyboard.press("Enter");
    expect(await first.reports()).toEqual([]);
    await first.page.keyboard.press("4");
    await first.page.keyboard.press("Enter");
    expect((await first.reports()).at(-1)).toEqual(["submit", { rating: 4 }]);

    const second = await open({ type: "csat", draft: { rating: 2 } });
    await second.card.getByRole("textbox").focus();
    await second.page.keyboard.type("one\n");
    await second.page.keyboard.type("two");
    await second.page.keyboard.press("Control+Enter");
    expect((await second.reports()).at(-1)).toEqual(["submit", { rating: 2, text: "one\ntwo" }]);
  });

  it("escape with a typed text warns, leaves the caret where it is, and closes at the second press", async () => {
    const { page, card, reports } = await open({ type: "csat", draft: { rating: 2 } });
    await card.getByRole("textbox").focus();
    await page.keyboard.type("half a");
    await page.keyboard.press("Escape");
    await card.getByRole("status").getByText("Press again").waitFor();
    await page.keyboard.type(" thought");
    expect(await card.getByText("Press again").count()).toBe(0);
    expect(await card.getByRole("textbox").inputValue()).toBe("half a thought");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    expect((await reports()).slice(-2)).toEqual([["dismiss"], ["closed"]]);
  });
});
