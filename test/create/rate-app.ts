import { type Page } from "playwright-core";

/** Runs the task of a page with the script tag, and gives four of five in the survey in its corner. */
export async function rateInCorner(page: Page, { url }: { url: string }): Promise<number> {
  await page.goto(url);
  await page.waitForFunction(() => "isOpen" in (window as unknown as { afterword: object }).afterword);
  await page.getByRole("button", { name: "Ask the agent" }).click();
  await page.getByText("You asked: Where is my order?").waitFor();
  await page.getByRole("radio").nth(3).click();
  await page.getByRole("button", { name: /send/i }).click();
  await page.getByText(/thank/i).waitFor();
  return 4;
}

/** Asks in a chat and presses the thumb under the answer, whose vote is sent four seconds later. */
export async function rateByThumb(page: Page, { url }: { url: string }): Promise<number> {
  await page.goto(url);
  await page.getByLabel("Your question").fill("Where is my order?");
  await page.getByRole("button", { name: "Ask" }).click();
  const thumbs = page.locator("afterword-thumbs[token]");
  await thumbs.getByRole("button", { name: "Good answer" }).click();
  return 5;
}
