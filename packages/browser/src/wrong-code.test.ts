import { describe, expectTypeOf, it } from "vitest";
import { createAfterword, type AfterwordOptions, type HeadlessAfterword } from "./index.ts";

// Read by `run types`: each line after `@ts-expect-error` must not compile.

describe("a page does not compile", () => {
  const options: AfterwordOptions = { key: "aw_pk_x", baseUrl: "https://feedback.example.com" };

  it("with options that are missing, misspelt or of another kind", () => {
    void (() => createAfterword(options));
    // @ts-expect-error -- no address of the service
    void (() => createAfterword({ key: "aw_pk_x" }));
    // @ts-expect-error -- it is baseUrl
    void (() => createAfterword({ ...options, baseURL: "https://feedback.example.com" }));
    // @ts-expect-error -- no word of consent
    void (() => createAfterword({ ...options, consent: true }));
    // @ts-expect-error -- a text in place of true
    void (() => createAfterword({ ...options, testMode: "yes" }));
    // @ts-expect-error -- no theme
    void (() => createAfterword({ ...options, theme: "blue" }));
    expectTypeOf(createAfterword).returns.toEqualTypeOf<HeadlessAfterword>();
  });

  it("that rates no run, or by no number", () => {
    const run = { surveyId: "thumbs", sessionId: "run-1", token: "st2.x" };
    const rates = (afterword: HeadlessAfterword) => {
      void afterword.rate(run, { rating: 5, text: "Fine" }, { delayInMs: 4000 });
      // @ts-expect-error -- a rating is a number
      void afterword.rate(run, { rating: "5" });
      // @ts-expect-error -- an answer has a rating
      void afterword.rate(run, { text: "Fine" });
      // @ts-expect-error -- a run has a session
      void afterword.rate({ surveyId: "thumbs", token: "st2.x" }, { rating: 5 });
      // @ts-expect-error -- a token is a text, or is got by a function
      void afterword.rate({ ...run, token: undefined, getToken: "st2.x" }, { rating: 5 });
      // @ts-expect-error -- it is delayInMs
      void afterword.rate(run, { rating: 5 }, { delay: 4 });
    };
    expectTypeOf(rates).parameter(0).toEqualTypeOf<HeadlessAfterword>();
  });
});
