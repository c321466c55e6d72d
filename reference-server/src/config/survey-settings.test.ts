import { describe, expect, it } from "vitest";
import { desiredSurvey } from "./desired-projects.ts";
import { InvalidConfig, parseConfig } from "./parse-config.ts";
import { type SurveyConfig } from "./server-config.ts";

const survey = {
  id: "s",
  slug: "s",
  type: "csat",
  question: "?",
  presentation: "corner",
  trigger: "auto",
} as const;
const parsed = (settings: object) => {
  const surveys = [{ ...survey, status: "active", ...settings } as SurveyConfig];
  return parseConfig({ projects: [{ id: "p", name: "P", allowedOrigins: [], surveys }] }).projects[0]!
    .surveys[0]!;
};

function mistakesIn(settings: object): string[] {
  try {
    parsed(settings);
  } catch (error) {
    if (!InvalidConfig.isInstance(error)) throw error;
    return error.mistakes.map(
      ({ path, message }) => `${path.replace("projects[0].surveys[0].", "")} ${message}`,
    );
  }
  return [];
}

const days = (number: number) => number * 86_400_000;

describe("askAgain", () => {
  it.each([
    [undefined, undefined],
    ["never", undefined],
    [{ after: "8d" }, { afterInMs: days(8), afterDismissalInMs: days(8) }],
    [
      { after: "90d", afterDismissal: "180d" },
      { afterInMs: days(90), afterDismissalInMs: days(180) },
    ],
    [{ eachRun: true }, { eachRun: true, afterDismissalInMs: days(7) }],
    [
      { eachRun: true, afterDismissal: "1h" },
      { eachRun: true, afterDismissalInMs: 3_600_000 },
    ],
  ])("%j is stored as %j, beside the definition and not in it", (askAgain, stored) => {
    const desired = desiredSurvey(parsed({ askAgain, unprompted: true }));
    expect(desired).toEqual({ definition: survey, status: "active", askAgain: stored, unprompted: true });
  });

  it.each([
    ["always", "askAgain is neither"],
    [true, "askAgain is neither"],
    [{}, "askAgain.after is missing, and so is eachRun"],
    [{ after: "7d" }, "askAgain.after is shorter than 8d"],
    [{ after: "191h" }, "askAgain.after is shorter than 8d"],
    [{ after: "3 months" }, "askAgain.after is not a whole number with s, m, h or d"],
    [
      { after: "0d" },
      "askAgain.after is not a whole number with s, m, h or d, such as 30d, that is more than 0",
    ],
    [{ after: "90d", afterDismissal: "7d" }, "askAgain.afterDismissal is shorter than 8d"],
    [{ after: "90d", eachRun: true }, "askAgain.eachRun cannot be combined with after"],
    [{ after: "90d", often: true }, "askAgain.often is not a known setting"],
    [{ eachRun: false }, "askAgain.eachRun is not true"],
    [
      { eachRun: true, afterDismissal: "soon" },
      "askAgain.afterDismissal is not a whole number with s, m, h or d",
    ],
  ])("%j is a mistake that names its field: %s", (askAgain, begun) => {
    expect(mistakesIn({ askAgain })).toEqual([expect.stringMatching(`^${begun}`)]);
  });
});

describe("sampling", () => {
  const stratum = { name: "failed", when: [{ trait: "outcome", op: "eq", value: "failed" }], probability: 1 };
  const strata = [stratum, { ...stratum, name: "long", when: [{ trait: "steps", op: "gte", value: 10 }] }];

  it("is stored beside the definition, so that a change of it gives the survey no new version", () => {
    const sampling = { probability: 0.05, strata };
    expect(desiredSurvey(parsed({ sampling, samplePercent: 100 }))).toMatchObject({ sampling });
    expect(desiredSurvey(parsed({ sampling })).definition).toEqual(survey);
  });

  it.each([
    [{ probability: 1.01 }, "sampling.probability "],
    [{ probability: -0.1 }, "sampling.probability "],
    [{}, "sampling.probability "],
    [{ probability: 0, strata: [{ ...stratum, when: [] }] }, "sampling.strata[0].when "],
    [
      { probability: 0, strata: [{ ...stratum, when: [{ trait: "a", op: "like", value: 1 }] }] },
      "sampling.strata[0].when[0].op ",
    ],
    [
      { probability: 0, strata: [stratum, stratum] },
      "sampling.strata[1].name is the same as projects[0].surveys[0].sampling.strata[0].name",
    ],
    [{ probability: 0, share: 1 }, "sampling.share is not a known setting"],
  ])("%j is a mistake that names its field: %s", (sampling, begun) => {
    expect(mistakesIn({ sampling }).map((text) => text.slice(0, begun.length))).toEqual([begun]);
  });

  it("cannot be combined with a samplePercent below 100, which would make the stored probability wrong", () => {
    expect(mistakesIn({ sampling: { probability: 1 }, samplePercent: 50 })).toEqual([
      expect.stringMatching(/^samplePercent cannot be combined with sampling/),
    ]);
  });
});

describe("the extensions of a definition", () => {
  const many = (length: number) => Array.from({ length }, () => "Too slow");
  it.each([
    [{ followUpQuestions: { low: "Why?", middle: "Why?", high: "x".repeat(1000) } }],
    [{ suggestions: { low: many(4), high: ["x".repeat(80)] } }],
    [{ translations: { "de": { question: "?" }, "zh-Hant-TW": { endLabels: { low: "?" } }, "sr-Latn": {} } }],
  ])("may be %j", (fields) =>
    expect(desiredSurvey(parsed(fields)).definition).toEqual({ ...survey, ...fields }),
  );

  it.each([
    [{ followUpQuestions: { lo: "Why?" } }, "followUpQuestions.lo is not"],
    [{ followUpQuestions: { low: "x".repeat(1001) } }, "followUpQuestions.low "],
    [{ suggestions: { low: many(5) } }, "suggestions.low "],
    [{ suggestions: { high: ["x".repeat(81)] } }, "suggestions.high[0] "],
    [{ suggestions: { middle: ["fine"] } }, "suggestions.middle is not"],
    [
      { translations: { xx: { question: "?" } } },
      "translations.xx is not the BCP 47 tag of a known language",
    ],
    [
      { translations: { de_AT: { question: "?" } } },
      "translations.de_AT is not the BCP 47 tag of a known language",
    ],
    [{ translations: { de: { question: "" } } }, "translations.de.question "],
    [{ translations: { de: { qustion: "?" } } }, "translations.de.qustion is not"],
    [{ translations: { de: { endLabels: { low: "x".repeat(101) } } } }, "translations.de.endLabels.low "],
    [{ translations: { de: { suggestions: { low: many(5) } } } }, "translations.de.suggestions.low "],
  ])("%j is a mistake that names its field: %s", (fields, begun) => {
    expect(mistakesIn(fields).map((text) => text.slice(0, begun.length))).toEqual([begun]);
  });
});

describe("thumbs", () => {
  it.each([
    [{ thumbs: true }, []],
    [{ thumbs: false, type: "nps" }, []],
    [{ thumbs: true, type: "nps" }, ["thumbs is for surveys of type csat alone"]],
    [{ thumbs: "yes" }, [expect.stringMatching(/^thumbs Invalid input: expected boolean/)]],
  ])("of %j have the mistakes %j", (settings, mistakes) => expect(mistakesIn(settings)).toEqual(mistakes));
});
