import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { publishableKeys } from "../end-to-end/browser-stage.ts";
import { newPerson, useWorld } from "../end-to-end/browser-world.ts";
import { withoutTokenChecks } from "../end-to-end/fault-proxy.ts";
import { usePage } from "./use-page.ts";

// What templates write into a page: ids and names of elements, attributes with the text of a boolean, ids from a database.

const world = useWorld();
beforeAll(() => void (world.proxy.fault = withoutTokenChecks));
const openPage = usePage(world);

const page = readFileSync(new URL("../../docs/browser/script-tag.md", import.meta.url), "utf8");
const [stub] = /<script>.+<\/script>/.exec(page)!;
const tag = (attributes = "", key: keyof typeof publishableKeys = "quiet") =>
  `<script async crossorigin src="${world.site.url}/afterword/afterword.js" data-key="${publishableKeys[key]}"
    data-base-url="${world.service.url}" ${attributes}></script>`;
const asks = (person: string) =>
  `<script>afterword("identify", "${person}"); afterword("ask", "when-asked");</script>`;
const rating = 'input[value="4"]';

const takers = [
  '<h2 id="afterword">Afterword</h2>',
  '<h2 id="afterword">One</h2><p id="afterword">Two</p>',
  '<form name="afterword"><input name="q"><input name="isOpen"></form>',
  '<iframe name="afterword"></iframe>',
  '<object id="afterword"></object>',
  '<embed id="afterword">',
];

describe("an element whose name is the function's", () => {
  it.each(takers)("before the stub does not keep calls from the widget: %s", async (element) => {
    const { page } = await openPage(element + stub + tag() + asks(newPerson()));
    await expect.poll(() => page.locator(rating).count()).toBe(1);
  });

  it.each(takers)("of a page without a stub does not keep the widget from opening: %s", async (element) => {
    const { page } = await openPage(element + tag());
    await page.waitForFunction("window.afterword.isOpen === true");
    await page.evaluate(`afterword("ask", "when-asked")`);
    await expect.poll(() => page.locator(rating).count()).toBe(1);
  });
});

describe("a user id of a template", () => {
  it("that is a whole number names the person, whose answer the server finds by the same text", async () => {
    const userId = 4_200_000 + Number(newPerson().replace("person-", ""));
    const before = `<script>afterword("identify", ${userId}); afterword("ask", "when-asked");</script>`;
    const { page, lines } = await openPage(stub + tag() + before);
    await page.locator(rating).check();
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => world.stored(String(userId))).toMatchObject([{ rating: 4 }]);
    expect(lines).toEqual([expect.stringContaining("userId is a number and taken as text")]);
  });
});

describe("thumbs without afterword.js", () => {
  const thumbs =
    () => `<script type="module" crossorigin src="${world.site.url}/afterword/afterword-thumbs.js"></script>
    <afterword-thumbs survey-id="manual" session-id="s" token="st2.x"></afterword-thumbs>`;

  it.each([
    ["has no tag", () => ""],
    ["does not load", () => tag().replace("afterword.js", "missing.js")],
  ])("say so in the console if it %s", async (_, given) => {
    const { lines } = await openPage(thumbs() + given());
    await expect
      .poll(() => lines.filter((line) => line.includes("thumbs wait for afterword.js")), { timeout: 10_000 })
      .toHaveLength(1);
  });

  it("say nothing beside it, in either order, and start once a tag manager has inserted it", async () => {
    for (const html of [tag() + thumbs(), thumbs() + tag()]) {
      const { page, lines } = await openPage(html);
      await page.waitForFunction(`customElements.get("afterword-thumbs")`);
      expect(lines.filter((line) => line.includes("thumbs"))).toEqual([]);
    }
    const { page } = await openPage(thumbs());
    await page.evaluate((html) => {
      const fragment = document.createRange().createContextualFragment(html);
      document.head.append(fragment);
    }, tag());
    await expect.poll(() => page.evaluate(`!!customElements.get("afterword-thumbs")`)).toBe(true);
  });
});
