import type { Page } from "playwright-core";

/** Answers the survey that the page shows, as a person would. */
export async function answerSurvey(page: Page, rating: number, text?: string) {
  const survey = page.locator("afterword-view");
  const choice = survey.getByRole("radio").nth(rating - 1); // an NPS begins with 0
  await choice.check();
  if (text !== undefined) await survey.getByRole("textbox").fill(text);
  const isStored = page.waitForResponse((reply) => reply.url().endsWith("/v1/sdk/responses"));
  await survey.getByRole("button", { name: "Send" }).click();
  return (await isStored).status(); // 201
}

/** Says why no survey shows, for a test that expects one. Call it before the page is opened. */
export async function collectReasons(page: Page) {
  await page.addInitScript(() => {
    const reasons: string[] = [];
    document.addEventListener("afterword:notShown", (event) => {
      reasons.push((event as CustomEvent<{ reason: string }>).detail.reason);
    });
    Object.assign(window, { reasons });
  });
  return () => page.evaluate(() => (window as unknown as { reasons: string[] }).reasons);
}

/** The page works as if the service could not be reached. */
export const withoutService = (page: Page) => page.route("**/v1/sdk/**", (route) => route.abort());
