import { deepEqual, equal } from "node:assert/strict";
import { samplePosition } from "@afterword/protocol/sampling";
import { under } from "../clauses/clause.ts";
import { test } from "./client-expectations.ts";
import { type ClientUnderTest } from "./client-under-test.ts";
import { playPage, task, withSurvey } from "./page-clauses.ts";

export const choosingClauses = under<ClientUnderTest>("Targeting and sampling", [
  test("a survey is shown when all its rules match the traits, by the operators of the contract", async (client) => {
    const traits = { plan: "pro", seats: 10, digits: "7", none: null, isAdmin: true };
    const rule = (trait: string, op: string, value?: unknown) => ({ trait, op, value });
    const shown = [[], [rule("plan", "eq", "pro")], [rule("seats", "gte", 10), rule("plan", "in", ["pro"])]];
    shown.push([rule("none", "eq", null)], [rule("missing", "exists", false)], [rule("plan", "lt", "q")]);
    shown.push([rule("seats", "neq", "10"), rule("seats", "lte", 10), rule("digits", "gt", "10")]);
    const hidden = [[rule("missing", "neq", "x")], [rule("plan", "like", "p")], [rule("toString", "exists")]];
    hidden.push([rule("seats", "eq", "10")], [rule("plan", "eq", "pro"), rule("seats", "gt", 10)]);
    // Each would match if one side were taken for a value of the other's type.
    hidden.push([rule("seats", "gt", "5")], [rule("seats", "lt", "50")], [rule("seats", "gte", "10")]);
    hidden.push([rule("seats", "lte", "10")], [rule("digits", "gt", 5)], [rule("digits", "lt", 9)]);
    hidden.push([rule("none", "lt", 1)], [rule("isAdmin", "gt", 0)], [rule("seats", "in", ["10"])]);
    for (const [at, targeting] of [...shown, ...hidden].entries()) {
      const scene = { ...withSurvey({ targeting }), task: { ...task, traits } };
      const { submits } = await playPage(client, scene);
      equal(submits.length > 0, at < shown.length, `targeting ${JSON.stringify(targeting)}`);
    }
  }),
  test("a respondent is asked when their place in the survey's sample is below samplePercent", async (client) => {
    for (const respondentId of ["person-1", "zoë-🙂"]) {
      const place = samplePosition(respondentId, "csat");
      for (const isAsked of [true, false]) {
        const samplePercent = isAsked ? place + 0.001 : place;
        const scene = { ...withSurvey({ samplePercent }), task: { ...task, respondentId } };
        const { submits } = await playPage(client, scene);
        const what = `${respondentId} has the place ${place}, with samplePercent ${samplePercent}`;
        equal(submits.length > 0, isAsked, what);
      }
    }
  }),
]);

const words = {
  question: "How well did it go?",
  followUpQuestion: "Why?",
  translations: { "pt-BR": { question: "Como foi?" }, "de": { question: "Wie war es?" } },
};

const followUps = {
  followUpQuestion: "Why?",
  followUpQuestions: { low: "What went wrong?", high: "What was best?" },
  translations: {
    de: { followUpQuestions: { low: "Was ging schief?" }, followUpQuestion: "Warum?" },
    fr: { question: null, followUpQuestion: 7 },
  },
};

export const wordingClauses = under<ClientUnderTest>("Words of a survey", [
  test("the question is that of the translation for the person's language, or the survey's own", async (client) => {
    const questions: string[] = [];
    for (const language of ["pt_br", "pt-PT", "de-AT", "ja"]) {
      const { said } = await playPage(client, { ...withSurvey(words), task: { ...task, language } });
      client.needs(said.question, "question");
      questions.push(String(said.question));
    }
    deepEqual(questions, ["Como foi?", "Como foi?", "Wie war es?", words.question]);
  }),
  test("the follow-up question is the translation's for the label, then the translation's own, then the survey's", async (client) => {
    const asked: string[] = [];
    for (const [language, rating] of [
      ["de", 1],
      ["de", 5],
      ["ja", 5],
      ["ja", 3],
      ["fr", 3],
    ] as const) {
      const scene = { ...withSurvey(followUps), task: { ...task, language, rating } };
      const { followUpQuestion } = (await playPage(client, scene)).said;
      client.needs(followUpQuestion, "followUpQuestion");
      asked.push(String(followUpQuestion));
    }
    deepEqual(asked, ["Was ging schief?", "Warum?", "What was best?", "Why?", "Why?"]);
  }),
]);
