// @vitest-environment node
import type { SurveyDefinition } from "@afterword/protocol";
import { describe, expect, it } from "vitest";
import { start } from "../../../fixtures/start.ts";
import type { AfterwordOptions } from "../public/options.ts";

const offline = "http://127.0.0.1:9";
const survey: SurveyDefinition = {
  id: "s",
  slug: "s",
  type: "csat",
  question: "Well?",
  followUpQuestion: "Why?",
  presentation: "corner",
  trigger: "manual",
};
const extensions: Partial<SurveyDefinition> = {
  followUpQuestions: { low: "What went wrong?" },
  suggestions: { low: ["Wrong"] },
  translations: {
    "de": { question: "Gut?", suggestions: { low: ["Falsch"] } },
    "pt-BR": { question: "Foi bom?" },
  },
};

/** A page without a service that previews a survey. */
async function preview(
  fields: Partial<SurveyDefinition>,
  options: Partial<AfterwordOptions> = {},
  lang = "",
) {
  const opened = start(offline, options, { fault: () => "lost" });
  opened.tab.page.document.documentElement.lang = lang;
  opened.afterword.preview({ ...survey, ...fields });
  await opened.tab.settle();
  return { ...opened, words: opened.afterword.getSurvey()!.words };
}

describe("the words of a survey", () => {
  it("are its own where it has no extensions", async () => {
    const { words } = await preview({});
    expect(words(1)).toEqual({ question: "Well?", followUpQuestion: "Why?", endLabels: {}, suggestions: [] });
  });

  it.each([
    ["of the option", { language: "de" }, "pt-BR", "Gut?"],
    ["of the option, however it is written", { language: "pt_PT" }, "", "Foi bom?"],
    ["of the page, if there is no option", {}, "de-AT", "Gut?"],
    ["of the survey itself, if it lacks the other", { language: "ja" }, "de", "Well?"],
  ])("are in the language %s", async (_, options, lang, question) => {
    expect((await preview(extensions, options, lang)).words().question).toBe(question);
  });
});

describe("the option `language`", () => {
  it.each(["xx", "german", "d", "de--", 7 as never])(
    "is reported if it is no language: %j",
    async (language) => {
      const { events, words } = await preview(extensions, { language });
      expect(events.error.filter(({ code }) => code === "invalid_argument")).toMatchObject([
        { message: expect.stringContaining("is not the BCP 47 tag of a known language") },
      ]);
      expect(words().followUpQuestion).toBe("Why?");
    },
  );

  it.each(["cs", "de_DE", "zh-Hant-TW"])("is not reported if it is one: %s", async (language) => {
    const { events } = await preview(extensions, { language });
    expect(events.error.filter(({ code }) => code === "invalid_argument")).toEqual([]);
  });
});
