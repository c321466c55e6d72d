import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { chooseByDigit } from "./choose-by-digit.ts";
import { startDemo } from "./demo-program.ts";
import { sharedBrowser } from "./shared-browser.ts";

let demo: Awaited<ReturnType<typeof startDemo>>;

beforeAll(async () => void (demo = await startDemo()));
afterAll(() => demo?.stop());

/** A visitor who has not been asked yet, and all errors on the page. */
async function visit(): Promise<{ page: Page; faults: string[] }> {
  const context = await (await sharedBrowser()).newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(demo.url);
  return { page, faults };
}

/** Presses Tab as a person would, until the focus is where they want it. */
async function tabTo(page: Page, target: Locator) {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((element) => element.matches(":focus"))) return;
  }
  throw new Error("Forty presses of Tab did not reach it");
}

const done = (page: Page, step: string) => page.locator(`[data-step="${step}"][data-done]`);
const survey = (page: Page) => page.getByRole("region", { name: "Feedback" });
const task = (page: Page, name: string) => page.getByRole("button", { name });

describe("the demo, from the agent's task to the acknowledged score", () => {
  it("a rating given by keyboard reaches the sink with the session of its run", async () => {
    const { page, faults } = await visit();
    await task(page, "Refund order 1042").click();
    const question = page.getByRole("group", { name: "How well did the agent do this task?" });
    const rating = question.getByRole("radio", { name: /4/ });
    await question.waitFor();
    await page.getByText("The agent is done, and you are asked.").waitFor();
    await tabTo(page, question.getByRole("radio").first());
    await chooseByDigit(page, 4);
    expect(await rating.isChecked()).toBe(true);
    const send = survey(page).getByRole("button", { name: "Send", exact: true });
    await tabTo(page, send);
    await page.keyboard.press("Enter");

    for (const step of ["asked", "stored", "linked", "pushed", "acknowledged"])
      await done(page, step).waitFor();
    const shown = JSON.parse((await page.locator("#score").textContent()) ?? "null") as object;
    const [score, ...others] = demo.scores();
    expect(others).toEqual([]);
    expect(score).toMatchObject({ surveyId: "satisfaction", rating: 4 });
    expect(score!.sessionId).toMatch(/^run-/);
    expect(shown).toEqual(score);

    const dev = page.waitForEvent("popup");
    await page.getByRole("link", { name: "See the results so far" }).click();
    const report = (await dev).waitForEvent("popup");
    await (await dev).getByRole("link", { name: "Open the report" }).click();
    const satisfaction = (await report).locator("section.survey", {
      hasText: "How well did the agent do this task?",
    });
    expect(await satisfaction.locator(".score").innerText()).toMatch(/^100\.0 % satisfied/);

    expect(faults).toEqual([]);
  });

  it("thumbs under each answer rate its own run, also where no survey is asked", async () => {
    const { page, faults } = await visit();
    await task(page, "Where is order 1041?").click();
    await survey(page).getByRole("button", { name: "Close" }).click();
    await task(page, "Which orders are late?").click();
    const answers = page.locator(".agent");
    await answers.nth(0).getByRole("button", { name: "Good answer" }).click();
    await answers.nth(1).getByRole("button", { name: "Bad answer" }).click();
    await answers.nth(1).getByRole("button", { name: "Hard to follow" }).click();
    await answers.nth(1).getByRole("button", { name: "Send" }).click();
    const votes = () => demo.scores().filter(({ surveyId }) => surveyId === "answer");
    await expect.poll(votes, { timeout: 15_000 }).toHaveLength(2);
    const [down, up] = votes().toSorted((one, other) => one.rating - other.rating);
    expect([down, up]).toMatchObject([{ rating: 1, text: "Hard to follow" }, { rating: 5 }]);
    expect(down!.sessionId).not.toBe(up!.sessionId);
    expect(faults).toEqual([]);
  });

  it("prints one URL on one line, and Ctrl-C ends everything it started", async () => {
    expect(demo.output.join("\n").match(/https?:\/\/\S+/g)).toEqual([demo.url]);
    expect(await demo.stop()).toBe(0);
    await expect(fetch(demo.url)).rejects.toThrow();
  });
});
