import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Chooses a rating as a person in the radio group would. */
export async function chooseByDigit(page: Page, rating: number): Promise<void> {
  const radio = page.locator(`input[type=radio][value="${rating}"]`);
  const press = async () => {
    await page.keyboard.press(`${rating}`);
    return radio.isChecked();
  };
  await expect.poll(press, { timeout: 15_000 }).toBe(true);
}
