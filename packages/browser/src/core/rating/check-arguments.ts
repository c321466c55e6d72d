import { ratingScales } from "@afterword/protocol/rating-scale";
import type { Reporting } from "../events/index.ts";
import type { RatedRun, RateOptions, RunWithTokens } from "../options/index.ts";
import type { SurveyAnswer } from "../survey/index.ts";

/** The type of each field; `undefined` and `null` pass. */
const fields = {
  run: {
    surveyId: "string",
    sessionId: "string",
    observationId: "string",
    taskType: "string",
    token: "string",
    tokens: "object",
    getToken: "function",
  },
  answer: { rating: "number", text: "string", followUpRequested: "boolean" },
  options: {
    delayInMs: "number",
    signal: "object",
    type: "string",
    language: "string",
    suggest: "function",
    ready: "function",
    sending: "function",
    settled: "function",
    replaced: "function",
  },
};

/** @throws AfterwordError that names the first argument of `rate` that cannot be used. Pages may be written without types. */
export function checkArguments(
  { AfterwordError }: Reporting,
  run: RatedRun | RunWithTokens,
  answer: SurveyAnswer,
  options: RateOptions,
): void {
  const expect = (isMet: boolean, what: string) => {
    if (!isMet) throw new AfterwordError("invalid_argument", `rate: ${what}`);
  };
  for (const [name, given] of Object.entries({ run, answer, options })) {
    expect(!!given && typeof given === "object", `${name} must be an object`);
    for (const [field, type] of Object.entries(fields[name as "run"])) {
      const value = (given as Record<string, unknown>)[field] ?? undefined;
      expect(value === undefined || typeof value === type, `${name}.${field} must be of type ${type}`);
    }
  }
  const { type, signal, ready } = options;
  expect(!type || Object.hasOwn(ratingScales, type), "options.type must be a type of survey");
  expect(!signal || "addEventListener" in signal, "options.signal must be an AbortSignal");
  if (ready) return;
  expect(Number.isInteger(answer.rating), "answer.rating must be a whole number");
  expect(!!run.surveyId || !!(run as RunWithTokens).tokens, "run.surveyId must be text");
}
