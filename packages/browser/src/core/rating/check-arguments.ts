import type { Reporting } from "../events/index.ts";
import type { RatedRun, RateOptions, RunWithTokens } from "../options/index.ts";
import type { SurveyAnswer } from "../survey/index.ts";

/** The fields of run, answer and options by their type; `undefined` and `null` pass. */
const fields = {
  string: "surveyId sessionId observationId taskType token text type language",
  number: "rating delayInMs",
  boolean: "followUpRequested",
  object: "tokens signal",
  function: "getToken suggest ready sending settled replaced",
};

/** @throws AfterwordError that names the first argument of `rate` that cannot be used: pages may be written without types. */
export function checkArguments(
  { AfterwordError }: Reporting,
  ...[run, answer, options]: [RatedRun | RunWithTokens, SurveyAnswer, RateOptions]
): void {
  const expect = (isMet: unknown, name: string, type: string) => {
    if (!isMet) throw new AfterwordError("invalid_argument", `rate: ${name} must be of type ${type}`);
  };
  for (const [name, given] of Object.entries({ run, answer, options })) {
    expect(given && typeof given === "object", name, "object");
    for (const [type, names] of Object.entries(fields))
      for (const field of names.split(" ")) {
        const value = (given as Record<string, unknown>)[field] ?? undefined;
        expect(value === undefined || typeof value === type, `${name}.${field}`, type);
      }
  }
  const { signal, ready } = options;
  expect(!signal || "addEventListener" in signal, "options.signal", "AbortSignal");
  expect(ready ?? Number.isInteger(answer.rating), "answer.rating", "integer");
  const survey: unknown = ready ?? run.surveyId ?? ("tokens" in run && run.tokens);
  expect(survey || survey === "", "run.surveyId", "string");
}
