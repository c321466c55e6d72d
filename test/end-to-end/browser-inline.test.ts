import { describe, expect, it } from "vitest";
import { useWorld } from "./browser-world.ts";
import { memoryAround } from "./page-memory.ts";

const world = useWorld();

type Run = Record<"surveyId" | "token" | "sessionId", string>;

const element = ({ surveyId, token, sessionId }: Run) =>
  `<afterword-survey slug="in-the-page" survey-id="${surveyId}" token="${token}" session-id="${sessionId}"></afterword-survey>`;

describe("many surveys in one page", () => {
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
