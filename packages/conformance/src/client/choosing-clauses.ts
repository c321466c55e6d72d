import { deepEqual, equal } from "node:assert/strict";
import { samplePosition } from "@afterword/protocol/sampling";
import { inSection } from "../clauses/clause.ts";
import { type ClientUnderTest } from "./client-under-test.ts";
import { asking, playPage, survey, task } from "./page-stage.ts";

export const choosingClauses = inSection<ClientUnderTest>("Targeting and sampling", [
  {
    title: "a survey is shown when all its rules match the traits, by the operators of the contract",
    proves: [
      "All rules must match; an empty list matches everyone",
      "Nothing is coerced",
      "`eq`, `neq` | is, or is not",
      "`in` | `value` is an array",
      "`gt` `lt` `gte` `lte` |",
      "`exists` | `value` is not `false`",
      "A missing trait matches nothing else",
      "A trait is one of the object's own keys",
      "An unknown operator never matches",
      "They apply targeting and sampling themselves",
    ],
    async run(client) {
      const traits = { plan: "pro", seats: 10, digits: "7", none: null, isAdmin: true };
      const rule = (trait: string, op: string, value?: unknown) => ({ trait, op, value });
      const shown = [
        [],
        [rule("plan", "eq", "pro")],
        [rule("seats", "gte", 10), rule("plan", "in", ["pro"])],
      ];
      shown.push([rule("none", "eq", null)], [rule("missing", "exists", false)], [rule("plan", "lt", "q")]);
      shown.push([rule("seats", "neq", "10"), rule("seats", "lte", 10), rule("digits", "gt", "10")]);
      const hidden = [
        [rule("missing", "neq", "x")],
        [rule("plan", "like", "p")],
        [rule("toString", "exists")],
      ];
      hidden.push([rule("seats", "eq", "10")], [rule("plan", "eq", "pro"), rule("seats", "gt", 10)]);
      // Each would match if one side were taken for a value of the other's type.
      hidden.push([rule("seats", "gt", "5")], [rule("seats", "lt", "50")], [rule("seats", "gte", "10")]);
      hidden.push([rule("seats", "lte", "10")], [rule("digits", "gt", 5)], [rule("digits", "lt", 9)]);
      hidden.push([rule("none", "lt", 1)], [rule("isAdmin", "gt", 0)], [rule("seats", "in", ["10"])]);
      for (const [at, targeting] of [...shown, ...hidden].entries()) {
        const bootstrap = asking({ surveys: [{ ...survey, targeting }] });
        const { submits } = await playPage(client, { bootstrap, given: { ...task, traits } });
        equal(submits.length > 0, at < shown.length, `targeting ${JSON.stringify(targeting)}`);
      }
    },
  },
  {
    title: "a respondent is asked when their place in the survey's sample is below samplePercent",
    proves: [
      "A respondent has a fixed place in each survey's sample",
      "Take the UTF-8 bytes",
      "Hash them with 32-bit FNV-1a",
      "Mix: `h ^= h >> 16",
      "The place is `h / 2^32 * 100`",
    ],
    async run(client) {
      for (const respondentId of ["person-1", "zoë-🙂"]) {
        const place = samplePosition(respondentId, survey.id);
        for (const isAsked of [true, false]) {
          const samplePercent = isAsked ? place + 0.001 : place;
          const bootstrap = asking({ surveys: [{ ...survey, samplePercent }] });
          const { submits } = await playPage(client, { bootstrap, given: { ...task, respondentId } });
          const what = `${respondentId} has the place ${place}, with samplePercent ${samplePercent}`;
          equal(submits.length > 0, isAsked, what);
        }
      }
    },
  },
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

export const wordingClauses = inSection<ClientUnderTest>("Words of a survey", [
  {
    title: "the question is that of the translation for the person's language, or the survey's own",
    proves: [
      "The person's language is the one in which the client shows its own words",
      "Compare tags in lower case",
      "Take the translation of that tag",
      "A field that the translation lacks is the survey's own",
      "A client that ignores them shows the survey's own words",
    ],
    async run(client) {
      const bootstrap = asking({ surveys: [{ ...survey, ...words }] });
      const questions: string[] = [];
      for (const language of ["pt_br", "pt-PT", "de-AT", "ja"]) {
        const { question } = await playPage(client, { bootstrap, given: { ...task, language } });
        client.needs(question, "question");
        questions.push(String(question));
      }
      deepEqual(questions, ["Como foi?", "Como foi?", "Wie war es?", words.question]);
    },
  },
  {
    title:
      "the follow-up question is the translation's for the label, then the translation's own, then the survey's",
    proves: [
      "The follow-up question is the first that exists of",
      "Without a rating, or off the scale, there is no label",
      "Values of another type, `null` included, count as absent",
    ],
    async run(client) {
      const bootstrap = asking({ surveys: [{ ...survey, ...followUps }] });
      const asked: string[] = [];
      for (const [language, rating] of [
        ["de", 1],
        ["de", 5],
        ["ja", 5],
        ["ja", 3],
        ["fr", 3],
      ] as const) {
        const { followUpQuestion } = await playPage(client, {
          bootstrap,
          given: { ...task, language, rating },
        });
        client.needs(followUpQuestion, "followUpQuestion");
        asked.push(String(followUpQuestion));
      }
      deepEqual(asked, ["Was ging schief?", "Warum?", "What was best?", "Why?", "Why?"]);
    },
  },
]);
