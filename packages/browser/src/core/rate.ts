import type { BootstrapReply } from "@afterword/protocol";
import type { AskingParts } from "./asking-parts.ts";
import type { Definitions } from "./definitions.ts";
import type { RatedRun, RateOptions } from "./options.ts";
import type { Outbox } from "./outbox.ts";
import { outgoing, responses } from "./outgoing.ts";
import type { SubmitResult, SurveyAnswer } from "./survey-view.ts";

/** What `rate` is called with, after what the client knows. */
export type RateArguments = [
  mayAsk: boolean,
  definitions: Definitions,
  run: RatedRun,
  answer: SurveyAnswer,
  options?: RateOptions,
];

/** Sends a rating that the person gave outside a survey, through the outbox. Never rejects. */
export async function rate(
  parts: AskingParts,
  outbox: Outbox,
  ...[mayAsk, definitions, run, answer, options = {}]: RateArguments
): Promise<SubmitResult> {
  const { identity, isPrivate, askedName, report, useWords } = parts;
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
        void useWords("tellWrongType", survey, type!);
      };
      if (type) void definitions.load().then(checkType);
      const entry = outgoing(responses, surveyId, respondent, { ...run, token }, isPrivate(), answer);
      return await outbox.add(entry, options, name);
    }
    void useWords("tellNoConsent");
  } catch (error) {
    report(error);
  }
  return "refused";
}
