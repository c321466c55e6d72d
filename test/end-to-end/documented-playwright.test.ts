import { expect, it } from "vitest";
// What docs/browser/playwright.md prints, in documented/playwright.ts.
import { answerSurvey, collectReasons, withoutService } from "../documented/playwright.ts";
import { newPerson, useWorld } from "./browser-world.ts";

const world = useWorld();
const askPerson = (person: string) => `afterword("identify", "${person}"); afterword("ask", "when-asked");`;

it("a test answers as a person would, and the service has it", async () => {
  const person = newPerson();
  const { page } = await world.open({ before: askPerson(person) });
  expect(await answerSurvey(page, 2, "Too slow")).toBe(201);
  expect(await world.stored(person)).toMatchObject([{ rating: 2, text: "Too slow" }]);
});

it("a test learns why nothing shows, also without the service", async () => {
  const page = await (await world.newContext()).newPage();
  const reasons = await collectReasons(page);
  await withoutService(page);
  await page.goto(world.publish({ before: askPerson(newPerson()) }));
  await expect.poll(reasons).toEqual(["unreachable"]);
});
