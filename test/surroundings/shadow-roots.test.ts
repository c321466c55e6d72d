import { afterAll, expect, it } from "vitest";
import { newPerson, useStage } from "../end-to-end/browser-stage.ts";
import { sharedBrowser } from "../end-to-end/shared-browser.ts";

const stage = useStage();
const contexts: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(contexts.map((context) => context.close())));

/** A page whose components have shadow roots of this mode, and what the person and the page can do in it. */
async function open(mode: "open" | "closed", inside: string, before = "") {
  const person = newPerson();
  const context = await (await sharedBrowser()).newContext({ reducedMotion: "reduce" });
  contexts.push(context);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  await page.goto(
    stage.publish({
      before: `window.reasons = [];
        customElements.define("app-root", class extends HTMLElement {
          connectedCallback() {
            const outer = this.attachShadow({ mode: "${mode}" });
            outer.innerHTML = "<main><section></section></main>";
            const inner = outer.querySelector("section").attachShadow({ mode: "${mode}" });
            inner.innerHTML = \`${inside}\`;
            this.place = inner.firstElementChild;
          }
        });
        document.addEventListener("afterword:notShown", ({ detail }) => reasons.push(detail.reason));
        afterword("identify", "${person}"); ${before}`,
      body: "<app-root></app-root>",
    }),
  );
  return { page, person, faults };
}

/** Answers by script, because Playwright cannot look into closed roots. */
async function answer(page: Awaited<ReturnType<typeof open>>["page"]) {
  await page.waitForFunction("document.querySelector('app-root').place?.querySelector('afterword-view')");
  await page.evaluate(
    `document.querySelector("app-root").place.querySelector("afterword-view").shadowRoot.querySelector("input[value='6']").click()`,
  );
  await page.evaluate(
    `document.querySelector("app-root").place.querySelector("afterword-view").shadowRoot.querySelector("[part=send]").click()`,
  );
}

it.each([
  [
    "a data-afterword-slot in an open one",
    "open",
    `<div data-afterword-slot="in-the-page"></div>`,
    `afterword("ask", "in-the-page")`,
  ],
  [
    "<afterword-survey> in an open one",
    "open",
    `<afterword-survey slug="in-the-page"></afterword-survey>`,
    "",
  ],
  [
    "<afterword-survey> in a closed one",
    "closed",
    `<afterword-survey slug="in-the-page"></afterword-survey>`,
    "",
  ],
  [
    "a given slot in a closed one",
    "closed",
    "<div></div>",
    `document.addEventListener("DOMContentLoaded", () => afterword("ask", "in-the-page", { slot: document.querySelector("app-root").place }))`,
  ],
] as const)("a survey fills an element in a shadow root: %s", async (_, mode, inside, before) => {
  const { page, person, faults } = await open(mode, inside, before);
  await answer(page);
  await expect.poll(() => stage.stored(person)).toMatchObject([{ rating: 6 }]);
  expect([await page.evaluate("reasons"), faults]).toEqual([[], []]);
});
