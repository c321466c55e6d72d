import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { newPerson, useWorld } from "./browser-world.ts";
import { memoryAround } from "./page-memory.ts";

const world = useWorld();

type Run = Record<"surveyId" | "token" | "sessionId", string>;

const element = ({ surveyId, token, sessionId }: Run) =>
  `<afterword-survey slug="in-the-page" survey-id="${surveyId}" token="${token}" session-id="${sessionId}"></afterword-survey>`;

/** The runs of one person, minted before any of them is answered. */
const mintMany = (person: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => world.mint("inline", person, `${person}-${index}`)),
  );

/** Rates in the element with this index, and waits for the thanks. */
async function answer(page: Page, index: number, rating: number) {
  const survey = page.locator("afterword-survey").nth(index);
  await survey.locator(`input[value="${rating}"]`).click();
  await survey.locator("[part=send]").click();
  await survey.getByText("Thank you").waitFor();
}

describe("many surveys in one page", () => {
  it("twenty answers give twenty ratings on twenty sessions", async () => {
    const person = newPerson();
    const runs = await mintMany(person, 20);
    const { page, faults } = await world.open({
      before: `afterword("identify", "${person}");`,
      body: runs.map(element).join(""),
    });
    await expect.poll(() => page.locator("afterword-view").count()).toBe(20);
    const ratingOf = (index: number) => (index % 7) + 1;
    for (const index of runs.keys()) await answer(page, index, ratingOf(index));
    const scores = await world.pendingScores();
    for (const [index, { sessionId }] of runs.entries())
      expect(scores.filter((score) => score.sessionId === sessionId)).toMatchObject([
        { rating: ratingOf(index) },
      ]);
    expect(faults).toEqual([]);
  });

  it("two hundred mounted and unmounted leave no node and no listener behind", async () => {
    const { page } = await world.open();
    await page.waitForFunction("afterword.isOpen");
    const body = Array.from({ length: 200 }, (_, index) =>
      element({ surveyId: "inline", token: `st2.${index}`, sessionId: `run-${index}` }),
    ).join("");
    const mountAndUnmount = async () => {
      await page.evaluate(`document.body.innerHTML = ${JSON.stringify(body)}`);
      await page.waitForFunction(`document.querySelectorAll("afterword-view").length === 200`);
      await page.evaluate(`document.body.innerHTML = ""`);
      await page.waitForTimeout(0);
    };
    const { before, after } = await memoryAround(page, mountAndUnmount, mountAndUnmount);
    expect(after.nodes).toBe(before.nodes);
    expect(after.listeners).toBe(before.listeners);
    expect(after.heapKiB - before.heapKiB).toBeLessThan(512);
  });
});
