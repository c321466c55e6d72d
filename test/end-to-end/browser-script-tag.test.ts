import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";
import { chooseByDigit } from "./choose-by-digit.ts";

const world = useWorld();
const dist = new URL("../../packages/browser/dist/", import.meta.url);
const hashes = JSON.parse(readFileSync(new URL("integrity.json", dist), "utf8")) as Record<string, string>;
const bootstrap = "/v1/sdk/bootstrap";
const rating = (value: number) => `input[value="${value}"]`;

/** The files of Afterword that a page has fetched since. */
function watchFiles() {
  const before = world.site.asked.length;
  return () => world.site.asked.slice(before).filter((path) => path.startsWith("/afterword/"));
}

describe("a page where no survey shows", () => {
  it("fetches one file and asks the service once, without a preflight", async () => {
    const files = watchFiles();
    const seen = world.proxy.seen.length;
    const { page } = await world.open();
    await expect.poll(() => world.proxy.seen.length).toBe(seen + 1);
    await page.waitForLoadState("networkidle");
    expect(files()).toEqual(["/afterword/afterword.js"]);
    expect(world.proxy.seen.slice(seen).map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST ${bootstrap}`,
    ]);
  });
});

describe("calls before the script has loaded", () => {
  it("run in order once it has", async () => {
    const person = newPerson();
    const { page } = await world.open({
      before: `
        window.story = [];
        for (const name of ["notShown", "shown", "error"]) {
          afterword("on", name, ({ reason, slug, message }) => story.push([name, slug, reason ?? message]));
        }
        afterword("identify", "${person}");
        afterword("task");
        afterword("ask", "when-asked");
        afterword("fly");
        afterword("resolve");`,
    });
    await page.locator(rating(3)).waitFor();
    expect(await page.evaluate("story")).toEqual([
      ["notShown", "when-asked", "task"],
      ["error", undefined, expect.stringContaining("unknown command fly: ")],
      ["shown", "when-asked", undefined],
    ]);
  });
});

it.each(["offer", "__proto__"])(
  "%s is no command, which the console says, with the commands",
  async (word) => {
    const { page, faults } = await world.open();
    const told = page.waitForEvent("console", (message) => message.text().includes("unknown command"));
    await page.evaluate(
      (word) => (window as unknown as { afterword(word: string): void }).afterword(word),
      word,
    );
    expect((await told).text()).toMatch(
      new RegExp(`^afterword: unknown command ${word}: use respondent, identify, .*, destroy$`),
    );
    expect(faults).toEqual([]);
  },
);

describe("the main job", () => {
  it("a task is run, its token installed, the person rates by keyboard, and the rating waits with its session", async () => {
    const person = newPerson();
    const { page, faults } = await world.open({
      before: `afterword("identify", "${person}"); afterword("task");`,
    });
    const token = JSON.stringify({ ...(await world.mint("manual", person, "run-1")), taskType: "refund" });
    expect(await page.locator(rating(3)).count()).toBe(0);
    await page.evaluate(
      `afterword("install", ${token}); afterword("resolve"); afterword("ask", "when-asked");`,
    );
    await page.locator(rating(3)).focus();
    await chooseByDigit(page, 4);
    await page.getByRole("textbox").fill("the second step");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you").waitFor();
    expect(await world.pendingScores()).toMatchObject([
      { sessionId: "run-1", rating: 4, text: "the second step", taskType: "refund" },
    ]);
    expect(faults).toEqual([]);
  });
});

describe("strict pages", () => {
  it.each(["by the button", "by the Enter key"])(
    "in a frame sandboxed without storage, locks and forms the person can answer: %s",
    async (way) => {
      const { page, faults } = await world.open({
        policy: "sandbox allow-scripts",
        attributes: `data-consent="granted"`,
        before: `afterword("ask", "when-asked");`,
      });
      await page.locator(rating(2)).check();
      if (way.includes("key")) await page.keyboard.press("Enter");
      else await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("Thank you").waitFor();
      expect(faults).toEqual([]);
    },
  );
});

describe("attributes of the script tag", () => {
  it("integrity: the hash that comes with the files is the file's", async () => {
    const { page } = await world.open({
      attributes: `integrity="${hashes["afterword.js"]}" crossorigin`,
      before: `afterword("ask", "when-asked");`,
    });
    await page.locator(rating(2)).waitFor();
    expect(Object.keys(hashes)).toEqual(expect.arrayContaining(["afterword-asking.js", "afterword-ui.js"]));
  });

  it("data-language and data-theme reach the widget", async () => {
    const { page } = await world.open({
      attributes: `data-language="de" data-theme="dark"`,
      before: `afterword("ask", "when-asked");`,
    });
    const close = page.getByRole("button", { name: "Schließen" });
    await close.waitFor();
    const [red = 0] = await page
      .locator("afterword-view section")
      .evaluate((card) => (getComputedStyle(card).backgroundColor.match(/[\d.]+/g) ?? []).map(Number));
    expect(red).toBeLessThan(100);
  });
});
