import type { BootstrapReply } from "@afterword/protocol";
import type { askedName } from "./asked-name.ts";
import type { Identity } from "./identity.ts";
import type { RatedRun, RateOptions } from "./options.ts";
import type { Outgoing } from "./outbox-entry.ts";
import { outgoing, responses } from "./outgoing.ts";
import type { Reporting } from "./reporting.ts";
import type { SubmitResult, SurveyAnswer } from "./survey-view.ts";

interface RatingParts extends Reporting {
  identity: Identity;
  isPrivate(): boolean;
  askedName: typeof askedName;
}

/** What it needs of the outbox. */
interface Sending {
  add(outgoing: Outgoing, options: RateOptions, heldAs: string): Promise<SubmitResult>;
  takeBack(heldAs: string): void;
}

/** What `rate` is called with, after what the client knows. */
export type RateArguments = [
  mayAsk: boolean,
  definitions: { load(): Promise<BootstrapReply | undefined> },
  run: RatedRun,
  answer: SurveyAnswer,
  options?: RateOptions,
];

export type Rate = (...given: RateArguments) => Promise<SubmitResult>;

/** Gives what sends a rating that the person gave outside a survey, through the outbox. It never rejects. */
export function rateThrough(parts: RatingParts, outbox: Sending): Rate {
  const { identity, isPrivate, askedName, report, AfterwordError } = parts;
  const tell = (message: string) => report(new AfterwordError("invalid_argument", message));
  return async (mayAsk, definitions, run, answer, options = {}) => {
    const { signal, type } = options;
    try {
      const respondent = identity.current();
      const { surveyId } = run;
      if (mayAsk || signal?.aborted) {
        const token = (run.token ?? (await run.getToken?.()))!;
        if (signal?.aborted) return "refused";
        const name = askedName(respondent, run);
        const withdraw = () => outbox.takeBack(name);
        signal?.addEventListener("abort", withdraw);
        const checkType = (known?: BootstrapReply) => {
          const survey = known?.surveys.find((one) => one?.id === surveyId);
          if (!survey || survey.type === type) return;
          withdraw();
          tell(`survey ${survey.id} is ${survey.type} and not ${type}`);
        };
        if (type) void definitions.load().then(checkType);
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
