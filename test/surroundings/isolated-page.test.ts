import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { publishableKeys } from "../end-to-end/browser-stage.ts";
import { newPerson, useWorld } from "../end-to-end/browser-world.ts";
import { usePage } from "./use-page.ts";

// A cross-origin isolated page, whose script tags are those of the documentation; the files lie on another host.

const world = useWorld();
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The first block of HTML of a page of the documentation, with the addresses of the test. */
const snippetOf = (path: string, start: string) => {
  const block = [...read(path).matchAll(/```html\n([\s\S]*?)```/g)].find(([, code]) =>
    code!.includes(start),
  )![1]!;
  return block
    .replaceAll("https://your.cdn/", `${world.site.url}/afterword/`)
    .replaceAll("https://feedback.example.com", world.service.url)
    .replaceAll("aw_pk_…", publishableKeys.quiet)
    .replaceAll("data-linked-only", "");
};

const openPage = usePage(world);

async function open(html: string, embedderPolicy: string) {
  const { page } = await openPage(html, {
    "cross-origin-embedder-policy": embedderPolicy,
    "cross-origin-opener-policy": "same-origin",
  });
  expect(await page.evaluate("crossOriginIsolated")).toBe(true);
  return page;
}

describe.each(["require-corp", "credentialless"])(
  "under Cross-Origin-Embedder-Policy: %s",
  (embedderPolicy) => {
    it.each([
      "docs/browser/script-tag.md",
      "packages/browser/README.md",
      "packages/protocol/from-any-language.md",
    ])(
      "the script tag of %s shows a survey and stores its answer, with all files that load later",
      async (path) => {
        const person = newPerson();
        const page = await open(snippetOf(path, "afterword.js"), embedderPolicy);
        await page.evaluate(`afterword("identify", "${person}"); afterword("ask", "when-asked");`);
        await page.locator('input[value="4"]').check();
        await page.getByRole("textbox").fill("isolated");
        await page.getByRole("button", { name: "Send" }).click();
        await expect.poll(() => world.stored(person)).toMatchObject([{ rating: 4, text: "isolated" }]);
      },
    );

    it("thumbs from another host are drawn", async () => {
      const html =
        snippetOf("docs/browser/script-tag.md", "afterword.js") +
        snippetOf("docs/browser/thumbs.md", "afterword-thumbs.js").split("\n")[0]! +
        '<afterword-thumbs survey-id="manual" session-id="s" token="st2.x" value="up"></afterword-thumbs>';
      const page = await open(html, embedderPolicy);
      await page.locator("afterword-thumbs button").first().waitFor();
      expect(await page.locator("afterword-thumbs button").count()).toBeGreaterThan(0);
    });
  },
);

it("a tag without crossorigin is blocked there, and the page goes on", async () => {
  const html = snippetOf("docs/browser/script-tag.md", "afterword.js").replace(" crossorigin", "");
  const page = await open(html, "require-corp");
  expect(await page.evaluate("afterword.isOpen")).toBeUndefined();
});
