import { describe, expect, it } from "vitest";
import { useGallery } from "./gallery-browser.ts";

const open = useGallery();
const definition = { thumbs: true, followUpQuestion: "What was wrong?" };

describe("a survey of thumbs", () => {
  it.each(["corner", "banner", "inline"])(
    "offers down and up in a %s, and nothing between",
    async (place) => {
      const { card, radios, button, reports, page, faults } = await open({ place, definition });
      const names = await radios.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
      expect(names).toEqual(["Bad answer", "Good answer"]);
      await radios.first().focus();
      for (const key of ["3", "5", "4"]) await page.keyboard.press(key);
      await button("Send").click();
      await card.getByText("Thank you").waitFor();
      expect((await reports()).filter(([name]) => name !== "saveDraft")).toEqual([
        ["rated", 5],
        ["submit", { rating: 5 }],
      ]);
      expect(faults).toEqual([]);
    },
  );

  it("has the names of thumbs in other languages, or those of the survey", async () => {
    const namesOf = async (state: object) => {
      const { radios } = await open({ definition, ...state });
      return radios.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    };
    expect(await namesOf({ language: "de" })).toEqual(["Schlechte Antwort", "Gute Antwort"]);
    const endLabels = { low: "No", high: "Yes" };
    expect(await namesOf({ definition: { ...definition, endLabels } })).toEqual(["No", "Yes"]);
  });
});
