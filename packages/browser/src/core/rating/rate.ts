import type { BootstrapReply } from "@afterword/protocol";
import type { RatedRun, RateOptions, RunWithTokens } from "../options/index.ts";
import { type Outbox, responsesPath, submissionOf } from "../outbox/index.ts";
import { withTimeout } from "../page/index.ts";
import { checkArguments } from "./check-arguments.ts";
import { checkRating } from "./check-rating.ts";
import { chooseSurvey } from "./choose-survey.ts";
import type { AskingParts } from "../parts/index.ts";
import type { SubmitResult, SurveyAnswer } from "../survey/index.ts";

/** Longest wait for suggested reasons before an empty list is passed. */
const longestWaitInMs = 500;

export type Rate = (
  mayAsk: boolean,
  definitions: { load(): Promise<BootstrapReply | undefined> },
  run: RatedRun | RunWithTokens,
  answer: SurveyAnswer,
  options?: RateOptions,
) => Promise<SubmitResult>;

/** Creates the function that sends ratings given outside a survey, through the outbox. It never rejects. */
export function createRate(parts: AskingParts, outbox: Pick<Outbox, "add" | "takeBack">): Rate {
  const { identity, isPrivate, askedName, report, page, AfterwordError } = parts;
  const late = new AfterwordError("invalid_argument", "rate: getToken did not answer");
  return async (mayAsk, definitions, given, answer, givenOptions) => {
    const options = givenOptions ?? {};
    const { signal, type, suggest, ready } = options;
    const isWithdrawn = () => signal?.aborted;
    try {
      if (isWithdrawn()) return "refused";
      checkArguments(parts, given, answer, options);
      if (!mayAsk)
        throw new AfterwordError("invalid_argument", "rate: consent is required; call consent(true) first");
      const respondent = identity.current();
      if (type && suggest) page.setTimeout(() => suggest([]), longestWaitInMs);
      const run = await chooseSurvey(parts, definitions, given, options);
      ready?.();
      if (ready ?? isWithdrawn()) return "refused";
      const { surveyId } = run;
      const name = askedName(respondent, run);
      let isOfAnotherType = false;
      const withdraw = () => outbox.takeBack(name);
      signal?.addEventListener("abort", withdraw);
      if (type) {
        const refuse = () => {
          isOfAnotherType = true;
          withdraw();
        };
        void checkRating(parts, definitions.load(), surveyId, options, refuse).catch(report);
      }
      const token = run.token ?? (await withTimeout(page, Promise.resolve(run.getToken?.()), late));
      if (isWithdrawn() || isOfAnotherType) return "refused";
      if (!token || typeof token !== "string")
        throw new AfterwordError("invalid_argument", "rate: the run has no token");
      const entry = submissionOf(responsesPath, surveyId, respondent, { ...run, token }, isPrivate(), answer);
      return await outbox.add(entry, options, name);
    } catch (error) {
      report(error);
    }
    return "refused";
  };
}
