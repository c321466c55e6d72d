import { describe, expect, it } from "vitest";
import vectors from "../vectors/survey-words.json" with { type: "json" };
import { surveyDefinition, type SurveyDefinition } from "./survey.ts";
import { surveyWords } from "./survey-words.ts";

const least = {
  id: "s",
  slug: "s",
  presentation: "inline",
  trigger: "manual",
} as const;
/** Without the fields that are absent, as JSON has them. */
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe("the words of a survey", () => {
  it.each(vectors.map((vector) => [vector.rule, vector] as const))(
    "%s",
    (_, { survey, language, rating, words }) => {
      const definition = { ...least, ...survey } as SurveyDefinition;
      expect(surveyDefinition.safeParse(definition).error).toBeUndefined();
      expect(asJson(surveyWords(definition, language, rating))).toEqual(words);
    },
  );

  it("are the survey's own where a service says null or something that is no text", () => {
    const element = { type: "script", props: {} };
    const hostile = {
      ...least,
      type: "csat",
      question: "Well?",
      followUpQuestion: "Why?",
      endLabels: { low: "bad" },
      followUpQuestions: { low: element, middle: null, high: 7 },
      suggestions: { low: [element, "slow", null], high: element },
      translations: {
        de: { question: element, followUpQuestion: null, endLabels: null, suggestions: null },
        fr: null,
      },
    } as unknown as SurveyDefinition;
    for (const language of ["", "de", "fr"]) {
      expect(surveyWords(hostile, language, 1)).toEqual({
        question: "Well?",
        followUpQuestion: "Why?",
        endLabels: { low: "bad", high: undefined },
        suggestions: ["slow"],
      });
      expect(surveyWords(hostile, language, 5)).toMatchObject({ followUpQuestion: "Why?", suggestions: [] });
    }
  });
});
