import { chromium, type Browser, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { chromiumArguments } from "../chromium.ts";
import { startDemo } from "./demo-program.ts";

let browser: Browser;
let demo: Awaited<ReturnType<typeof startDemo>>;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: inject("chromiumPath"), args: chromiumArguments });
  demo = await startDemo();
});

afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

/** A visitor who has not been asked yet, and all errors on the page. */
async function visit(): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext();
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
    await page.keyboard.press("4");
    await expect.poll(() => rating.isChecked()).toBe(true);
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

    const results = page.waitForEvent("popup");
    await page.getByRole("link", { name: "See the results so far" }).click();
    const satisfaction = (await results).locator("section", {
      hasText: "How well did the agent do this task?",
    });
    await satisfaction.getByText("CSAT 100.0 %").first().waitFor();

    await task(page, "Which orders are late?").click();
    await page.getByText("Not asked: this visitor has just been asked").waitFor();
    expect(await question.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("a dismissal is remembered, pushes nothing, and the visitor is not asked again", async () => {
    const before = demo.scores().length;
    const { page, faults } = await visit();
    await task(page, "Where is order 1041?").click();
    await survey(page).getByRole("button", { name: "Close" }).click();
    await page.getByText("You closed the survey.").waitFor();
    await task(page, "Which orders are late?").click();
    await page.getByText("Not asked: this visitor has just been asked").waitFor();
    expect(demo.scores().length).toBe(before);
    expect(faults).toEqual([]);
  });

  it.each([
    ["Recommendation, banner", "recommendation", /9/, 9],
    ["Ease, inline", "ease", /6/, 6],
    ["Would you miss it, corner", "loss", "Very disappointed", 2],
  ])("%s: a rating given by mouse reaches the sink too", async (choice, surveyId, name, rating) => {
    const { page, faults } = await visit();
    await page.getByLabel(choice).check();
    await task(page, "How much did we sell in October?").click();
    await survey(page).getByRole("radio", { name }).check();
    await survey(page).getByRole("button", { name: "Send", exact: true }).click();
    await done(page, "acknowledged").waitFor();
    expect(demo.scores().at(-1)).toMatchObject({ surveyId, rating });
    expect(faults).toEqual([]);
  });

  it("nothing is asked when the agent has not understood the task", async () => {
    const { page } = await visit();
    await page.getByLabel("Your task").fill("Sing a song");
    await page.getByLabel("Your task").press("Enter");
    await page.getByText("I can refund or track an order").waitFor();
    expect(await done(page, "asked").count()).toBe(0);
  });

  it("prints one URL on one line, and Ctrl-C ends everything it started", async () => {
    expect(demo.output.join("\n").match(/https?:\/\/\S+/g)).toEqual([demo.url]);
    expect(await demo.stop()).toBe(0);
    await expect(fetch(demo.url)).rejects.toThrow();
  });
});
