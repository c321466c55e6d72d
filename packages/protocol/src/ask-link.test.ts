import { describe, expect, it } from "vitest";
import { readAskLink } from "./ask-link.ts";

const run = { surveyId: "done", token: "st2.k.abc_-", sessionId: "run 7 / ü" };
const fragmentOf = (fields: object) => `#${new URLSearchParams({ ...fields } as Record<string, string>)}`;

describe("the fragment of a link", () => {
  it("is read as it was written", () => {
    const link = {
      ...run,
      observationId: "o",
      name: "Ana’s & Söhne (Shop)",
      language: "pt-BR",
      theme: "dark",
    };
    expect(readAskLink(fragmentOf(link))).toEqual(link);
  });

  it.each([".", ",", ">", ")", ").", ">)", "%3E", "'", "!", "]"])(
    "is read without what a mail program takes for a part of it: %s",
    (junk) => {
      const plain = { ...run, sessionId: "run-7" };
      expect(readAskLink(fragmentOf(plain) + junk)).toEqual(plain);
      // The last `&` protects a value that ends like this.
      const odd = { ...run, sessionId: "run (7)." };
      expect(readAskLink(`${fragmentOf(odd)}&${junk}`)).toEqual(odd);
    },
  );

  it.each(["surveyId", "token", "sessionId"])("without %s is no link", (field) => {
    expect(readAskLink(fragmentOf({ ...run, [field]: "" }))).toBeUndefined();
  });

  it.each([
    ["a survey of 65 characters", { surveyId: "x".repeat(65) }],
    ["a session with a control character", { sessionId: "a\u0000" }],
    ["a token with a space", { token: "a b" }],
    ["an observation that is empty", { observationId: "" }],
  ])("with %s is no link", (_, field) => {
    expect(readAskLink(fragmentOf({ ...run, ...field }))).toBeUndefined();
  });

  it.each([
    ["an address as a name", { name: "https://evil.example" }],
    ["a name of 61 characters", { name: "n".repeat(61) }],
    ["a name that turns its direction", { name: "abc\u202Ecba" }],
    ["a language that is none", { language: "../de" }],
    ["another theme", { theme: "red" }],
    ["a field that is not known", { style: "x" }],
  ])("leaves out %s", (_, field) => {
    expect(readAskLink(fragmentOf({ ...run, ...field }))).toEqual(run);
  });
});
