import type { BootstrapReply } from "@afterword/protocol";
import type { askedName } from "./asked-name.ts";
import type { Identity } from "./identity.ts";
import type { RatedRun, RateOptions } from "./options.ts";
import type { Outgoing } from "./outbox-entry.ts";
import { checkRating } from "./check-rating.ts";
import type { LanguageParts } from "./survey-language.ts";
import { outgoing, responses } from "./outgoing.ts";
import type { SubmitResult, SurveyAnswer } from "./survey-view.ts";

interface RatingParts extends LanguageParts {
  identity: Identity;
  isPrivate(): boolean;
  askedName: typeof askedName;
}

/** The part of the outbox that it uses. */
interface Sending {
  add(outgoing: Outgoing, options: RateOptions, heldAs: string): Promise<SubmitResult>;
  takeBack(heldAs: string): unknown;
}

/** Longest wait for suggested reasons before an empty list is passed. */
const longestWaitInMs = 500;

/** The arguments of `rate`, after those that the client adds. */
export type RateArguments = [
  mayAsk: boolean,
  definitions: { load(): Promise<BootstrapReply | undefined> },
  run: RatedRun,
  answer: SurveyAnswer,
  options?: RateOptions,
];

export type Rate = (...given: RateArguments) => Promise<SubmitResult>;

/** Creates the function that sends ratings given outside a survey, through the outbox. It never rejects. */
export function rateThrough(parts: RatingParts, outbox: Sending): Rate {
  const { identity, isPrivate, askedName, report, AfterwordError } = parts;
  const tell = (message: string) => report(new AfterwordError("invalid_argument", message));
  return async (mayAsk, definitions, run, answer, options = {}) => {
    const { signal, type, suggest } = options;
    try {
      const respondent = identity.current();
      const { surveyId } = run;
      if (mayAsk || signal?.aborted) {
        let isWithdrawn = signal?.aborted;
        const name = askedName(respondent, run);
        const withdraw = () => {
          isWithdrawn = true;
          outbox.takeBack(name);
        };
        signal?.addEventListener("abort", withdraw);
        if (type && !isWithdrawn) {
          void checkRating(parts, definitions.load(), surveyId, options, withdraw).catch(report);
          if (suggest) parts.page.setTimeout(() => suggest([]), longestWaitInMs);
        }
        const token = (run.token ?? (await run.getToken?.()))!;
        if (isWithdrawn) return "refused";
        const entry = outgoing(responses, surveyId, respondent, { ...run, token }, isPrivate(), answer);
        return await outbox.add(entry, options, name);
      }
      tell("rate: consent is required; call consent(true) first");
    } catch (error) {
      report(error);
    }
    return "refused";
  };
}
