import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import { whyNotShown } from "@afterword/protocol/why-not-shown";
import { askedName } from "../identity/index.ts";
import type { Context } from "../context/index.ts";
import type { Candidate, Refuse, SurveyRequest } from "./survey-request.ts";
import type { InstalledToken } from "../options/index.ts";

/** Combines what is known about a survey and the current person. Without definitions it is a preview. */
export function createCandidate(
  context: Context,
  installed: readonly InstalledToken[],
  survey: SurveyDefinition,
  request: SurveyRequest,
  definitions: BootstrapReply | undefined,
  refuse: Refuse,
): Candidate {
  const { identity, options, store } = context;
  const { testMode, linkedOnly } = options;
  const respondent = identity.current();
  const isPractice = !definitions || !!testMode;
  const { id } = survey;
  const wasAsked = (run?: Partial<InstalledToken>) =>
    !(+(store.read(askedName(respondent, { ...run, surveyId: id })) ?? 0) < context.requestedAt!);
  // The newest run is the one on the screen.
  const tokenNow = () => request.run ?? installed.find((run) => run.surveyId === id && !wasAsked(run));
  return {
    ...request,
    survey,
    respondent,
    definitions,
    isPractice,
    tokenNow,
    whyNot() {
      // If all installed runs were asked about, the page wants no answer about any other run.
      const run = tokenNow() ?? installed.find((run) => run.surveyId === id);
      return isPractice
        ? undefined
        : (context.muted || options.muted) && !request.isByPerson
          ? "muted"
          : whyNotShown(survey, {
              respondent,
              definitions,
              // Read here, where an invalid id is expected to throw.
              get wasAsked() {
                return wasAsked(run);
              },
              isLinked: !!run,
              linkedOnly,
            });
    },
    checkTargeting: async () =>
      isPractice || !survey.targeting
        ? undefined
        : ((await context.withDebugFile(({ whyNotTargeted }) => whyNotTargeted(survey, respondent))) ??
          "load-failed"),
    refuse: (reason) => refuse(reason, request, survey),
  };
}
