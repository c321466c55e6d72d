import type { PendingScore } from "@afterword/protocol";
import { describe, expect, it } from "vitest";
import { scoreNameOf, scoreValue } from "./score-value.ts";

const row = (parts: Partial<PendingScore> = {}): PendingScore => ({
  id: "r1",
  surveyId: "srv_1",
  at: "2026-11-21T08:00:00.000Z",
  sessionId: "s1",
  rating: 4,
  text: "Call me at home",
  ...parts,
});

describe("what a rating means", () => {
  it.each([
    ["nps", 9, 0.9, "promoter"],
    ["nps", 0, 0, "detractor"],
    ["csat", 4, 0.75, "satisfied"],
    ["csat", 1, 0, "dissatisfied"],
    ["ces", 4, 0.5, "neutral"],
    ["ces", 7, 1, "easy"],
    ["pmf", 2, 1, "very_disappointed"],
    ["pmf", 0, 0, "not_disappointed"],
  ] as const)("%s %i is %f of the scale and %s", async (type, rating, normalised, label) => {
    const score = await scoreValue({ surveys: { srv_1: type } })(row({ rating }));
    expect(score).toMatchObject({ surveyType: type, rating, normalised, label });
  });

  it("an unknown survey gives the raw rating alone", async () => {
    const score = await scoreValue({ surveys: { other: "nps" } })(row());
    expect(score).toMatchObject({ rating: 4, surveyType: null, normalised: null, label: null });
  });

  it("a rating off its survey's scale has neither a place on it nor a label", async () => {
    const score = await scoreValue({ surveys: { srv_1: "csat" } })(row({ rating: 9 }));
    expect(score).toMatchObject({ rating: 9, surveyType: "csat", normalised: null, label: null });
  });

  it.each([
    [5, "up", 1],
    [1, "down", 0],
  ])("of thumbs %i is %s, whatever is known of the survey", async (rating, thumbs, normalised) => {
    for (const options of [{}, { surveys: { srv_1: "csat" } } as const])
      expect(await scoreValue(options)(row({ rating, thumbs: true }))).toMatchObject({
        rating,
        thumbs,
        label: thumbs,
        normalised,
        surveyType: "csat",
      });
  });

  it("a score without a rating has none after it either", async () => {
    const score = await scoreValue({ surveys: { srv_1: "csat" } })(row({ rating: null }));
    expect(score).toMatchObject({ rating: null, normalised: null, label: null });
  });

  it("the type given by hand wins over a looked-up one, which is used for the rest", async () => {
    const value = scoreValue({ surveys: { srv_1: "csat" } }, async () => "nps");
    expect((await value(row())).surveyType).toBe("csat");
    expect((await value(row({ surveyId: "srv_2" }))).surveyType).toBe("nps");
  });

  it("a survey id that is a word of the language is not found in the map's prototype", async () => {
    const score = await scoreValue({ surveys: {} })(row({ surveyId: "constructor" }));
    expect(score).toMatchObject({ name: "afterword.constructor", surveyType: null });
  });

  it("what the score leaves out arrives as null", async () => {
    const score = await scoreValue()({ id: "r1", surveyId: "s", at: "2026-11-21T08:00:00.000Z" });
    expect(score).toEqual({
      id: "r1",
      surveyId: "s",
      at: "2026-11-21T08:00:00.000Z",
      sessionId: null,
      observationId: null,
      rating: null,
      text: null,
      taskType: null,
      name: "afterword.s",
      surveyType: null,
      normalised: null,
      label: null,
      run: null,
    });
  });
});

describe("the score's name", () => {
  it("is afterword. and the survey's id, whatever a look-up finds", async () => {
    const before = await scoreValue()(row());
    const after = await scoreValue({}, async () => "nps")(row());
    expect([before.name, after.name]).toEqual(["afterword.srv_1", "afterword.srv_1"]);
  });

  it("is another one for each survey, so that no service averages two scales", async () => {
    const value = scoreValue();
    const names = await Promise.all(
      ["nps", "csat"].map(async (surveyId) => (await value(row({ surveyId }))).name),
    );
    expect(new Set(names).size).toBe(2);
  });

  it("is scoreName for all surveys that the map does not name", async () => {
    const value = scoreValue({
      scoreName: "afterword.rating",
      surveys: { srv_1: { name: "support.csat" }, srv_2: "nps" },
    });
    const names = ["srv_1", "srv_2", "srv_3"].map(async (surveyId) => (await value(row({ surveyId }))).name);
    expect(await Promise.all(names)).toEqual(["support.csat", "afterword.rating", "afterword.rating"]);
  });

  it("is found again by the survey's id alone when a score is to be erased", async () => {
    const options = { scoreName: "team.rating", surveys: { srv_1: { name: "support.csat" } } } as const;
    for (const given of [{}, options, { surveys: options.surveys }]) {
      for (const surveyId of ["srv_1", "srv_2", "constructor"])
        expect(scoreNameOf(surveyId, given)).toBe((await scoreValue(given)(row({ surveyId }))).name);
    }
  });

  it("is the one that the surveys map gives", async () => {
    const value = scoreValue({ surveys: { srv_1: { type: "csat", name: "support.csat" } } });
    expect(await value(row())).toMatchObject({ name: "support.csat", surveyType: "csat" });
  });

  it("may be given without a type", async () => {
    const value = scoreValue({ surveys: { srv_1: { name: "support.csat" } } }, async () => "csat");
    expect(await value(row())).toMatchObject({ name: "support.csat", surveyType: "csat" });
  });

  it.each(["", "a\nb", "x".repeat(129)])(
    "is refused at the start when no service would take it: %j",
    (name) => {
      expect(() => scoreValue({ surveys: { srv_1: { name } } })).toThrow(/score name of survey srv_1/);
      expect(() => scoreValue({ scoreName: name })).toThrow(/score name must be/);
    },
  );
});

describe("the person's own words", () => {
  it("stay here unless asked for", async () => {
    expect((await scoreValue()(row())).text).toBeNull();
    expect((await scoreValue({ text: "omit" })(row())).text).toBeNull();
  });

  it("go along when included", async () => {
    expect((await scoreValue({ text: "include" })(row())).text).toBe("Call me at home");
  });

  it("go along as far as a redacting function lets them, at once or later", async () => {
    expect((await scoreValue({ text: (text) => text.replace("home", "[place]") })(row())).text).toBe(
      "Call me at [place]",
    );
    expect((await scoreValue({ text: async () => null })(row())).text).toBeNull();
  });

  it("are not asked about when there are none", async () => {
    const text = () => {
      throw new Error("must not be called");
    };
    expect((await scoreValue({ text })(row({ text: null }))).text).toBeNull();
  });

  it("are in no error when a redacting function fails", async () => {
    const text = (words: string) => {
      throw new RangeError(`cannot redact ${words}`);
    };
    const failure = scoreValue({ text })(row()).catch((error: unknown) => error);
    const error = (await failure) as Error;
    expect(error.message).toBe("Redacting the text of score r1 failed: RangeError");
    expect(error.cause).toBeUndefined();
  });
});

describe("options that could only fail later", () => {
  it("an unknown survey type is refused at the start, naming the survey", () => {
    expect(() => scoreValue({ surveys: { srv_1: "stars" as "nps" } })).toThrow(
      /srv_1 .*stars.*nps, csat, ces, pmf/,
    );
  });

  it("an unknown text policy is refused at the start", () => {
    expect(() => scoreValue({ text: "yes" as "include" })).toThrow(/"include", "omit"/);
  });
});
