import { AxeBuilder } from "@axe-core/playwright";
import type { BrowserContextOptions } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { type State, useGallery } from "./gallery-browser.ts";

const open = useGallery();
const types = ["nps", "csat", "ces", "pmf"];
const rated = { rating: 2, text: "It took a while." };

/** Every state that looks or reads differently. */
const states: State[] = [
  ...types.map((type) => ({ type, draft: rated })),
  ...(isFullProof ? types : types.slice(0, 1)).map((type) => ({ type })),
  ...["banner", "inline", "banner bottom", "corner top-left"]
    .slice(0, isFullProof ? 4 : 2)
    .map((place) => ({ place, draft: rated })),
  ...["never", "stored", "queued", "refused"].map((result) => ({ draft: rated, result })),
  { density: "compact", draft: rated },
  { language: "ar", draft: rated },
  { definition: { showBadge: true }, options: { privacyLink: "https://example.org/privacy" } },
];
const votes = ["open", "up", "down", "up stored", "up queued", "up earlier"].map((thumbs) => ({ thumbs }));
const allThumbs: State[] = [...votes, { thumbs: "down", language: "ar" }];
const some: State[] = [
  { type: "nps" },
  { type: "csat", draft: rated },
  { type: "pmf", draft: rated },
  { draft: rated, result: "never" },
  { draft: rated, result: "queued" },
];
/** Where the look alone is another. */
const few = isFullProof ? some : some.slice(1, 2);
const phone = { hasTouch: true, isMobile: true, viewport: { width: 375, height: 667 } };
const variants: [name: string, states: State[], look: State, context: BrowserContextOptions][] = [
  ["light", states, {}, {}],
  // The dark theme has other colours and nothing else.
  ["dark", isFullProof ? states : some.slice(0, 2), { theme: "dark", page: "dark" }, { colorScheme: "dark" }],
  ["more contrast", few, {}, { contrast: "more" }],
  ["forced colours", isFullProof ? states : few, {}, { forcedColors: "active" }],
  ["on a phone", few, {}, phone],
  ["thumbs, light", allThumbs, {}, {}],
  ["thumbs, dark", isFullProof ? allThumbs : votes.slice(2, 3), { page: "dark" }, { colorScheme: "dark" }],
  ["thumbs, forced colours", isFullProof ? allThumbs : votes.slice(2, 3), {}, { forcedColors: "active" }],
];

// Thumbs have the size of the text around them.
const openLarge = useGallery("--blink-settings=defaultFontSize=32");
const large: typeof variants = [
  ["text of 200 per cent", some, {}, {}],
  ["text of 200 per cent, on a phone", some, {}, phone],
];
const looks = [
  ...variants.map((variant) => [...variant, open] as const),
  ...(isFullProof ? large : []).map((variant) => [...variant, openLarge] as const),
];

describe.each(looks)("axe finds nothing: %s", (_, states, look, context, open) => {
  it.each(states.map((state) => [JSON.stringify(state), state] as const))("%s", async (_, state) => {
    const { page, faults, close } = await open({ ...state, ...look }, context);
    // One frame, one page: the slower way for many frames would open a second one.
    const axe = new AxeBuilder({ page })
      .include("thumbs" in state ? "afterword-thumbs" : "afterword-view")
      .setLegacyMode();
    const { violations } = await axe.analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("what is heard", () => {
  it("a region, a group named by the question, radios with names and descriptions", async () => {
    const { card, radio } = await open({ type: "nps" });
    // What the live region says, and when, are rules of their own below.
    const heard = (await card.ariaSnapshot()).replace(/- status: .*/, "- status");
    expect(heard).toBe(
      `
- region "Feedback":
  - group "How likely are you to recommend our travel agent to a friend?":
    - text: How likely are you to recommend our travel agent to a friend?
${Array.from({ length: 11 }, (_, rating) => `    - radio "${rating}"`).join("\n")}
  - status
  - button "Close"
`.trim(),
    );
    const described = await radio(10).evaluate((element) => element.ariaDescription);
    expect(described).toBe("Extremely likely");
  });

  it("the live region is in the page before it says anything", async () => {
    const { page, card } = await open({ later: true, type: "csat" });
    const said = await page.evaluate(async () => {
      window.show();
      const status = document.querySelector("afterword-view")!.shadowRoot!.querySelector("[role=status]")!;
      const before = status.textContent;
      await new Promise((resolve) =>
        new MutationObserver(resolve).observe(status, {
          subtree: true,
          characterData: true,
          childList: true,
        }),
      );
      return [before, status.textContent];
    });
    expect(said).toEqual(["", "How satisfied are you with how the agent booked your trip?"]);
    const status = await card.getByRole("status").elementHandle();
    await card.locator("input[value='4']").check();
    await card.getByRole("button", { name: "Send" }).click();
    await card.getByText("Thank you for your feedback.").waitFor();
    expect(await status!.textContent()).toBe("Thank you for your feedback.");
  });

  it("nothing is announced to the person who opened it and is already inside", async () => {
    const { page } = await open({ later: true, opened: true });
    const changes = await page.evaluate(async () => {
      window.show("?type=csat&opened=true");
      const status = document.querySelector("afterword-view")!.shadowRoot!.querySelector("[role=status]")!;
      let count = 0;
      new MutationObserver(() => count++).observe(status, {
        subtree: true,
        characterData: true,
        childList: true,
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      return count;
    });
    expect(changes).toBe(0);
  });

  it("the text has a name, and near the limit a count of its characters describes it", async () => {
    const { card } = await open({ type: "csat", draft: { rating: 2, text: "😀ok" } });
    const text = card.getByRole("textbox", { name: "What could the agent have done better?" });
    const count = card.locator("#count");
    expect(await text.inputValue()).toBe("😀ok");
    expect(await count.isVisible()).toBe(false);
    await text.fill("é".repeat(9_500));
    expect(await count.isVisible()).toBe(false);
    await text.press("End");
    await text.press("a");
    expect(await count.textContent()).toBe("9501 / 10000");
    expect(await count.isVisible()).toBe(true);
    expect(await text.evaluate((field) => field.getAttribute("aria-describedby"))).toBe("count");
  });
});

describe("the size of what one points at", () => {
  const sizes: [string, number, BrowserContextOptions][] = [
    ["24 px with a mouse", 24, {}],
    [
      "44 px with a finger, but ratings that are numbers 24 px wide",
      44,
      { ...phone, viewport: { width: 320, height: 568 } },
    ],
    ["the same on a wider phone", 44, phone],
  ];
  it.each(isFullProof ? sizes : sizes.slice(0, 2))("at least %s", async (_, least, context) => {
    for (const type of types) {
      const isNumbers = type === "nps" || type === "ces";
      for (const density of ["comfortable", "compact"]) {
        const options = { privacyLink: "https://example.org/privacy" };
        const { card, close } = await open(
          { type, density, draft: { rating: 0 + (type === "nps" ? 0 : 1) }, options },
          context,
        );
        const boxes = await card
          .locator("input[type=radio], button, label.contact, a")
          .evaluateAll((all) =>
            all
              .filter((one) => one.checkVisibility())
              .map((one) => [
                one.outerHTML,
                ...Object.values(one.getBoundingClientRect().toJSON()).slice(2, 4),
              ]),
          );
        expect(boxes.length).toBeGreaterThan(5);
        const tooSmall = boxes.filter(([html, width, height]) => {
          const leastWidth = isNumbers && `${html}`.includes("radio") ? 24 : least;
          return Number(width) < leastWidth || Number(height) < least;
        });
        expect(tooSmall).toEqual([]);
        await close();
      }
    }
  });
});
