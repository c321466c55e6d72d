import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import { whyNotShown } from "@afterword/protocol/why-not-shown";
import { askedName } from "./asked-name.ts";
import type { AskingParts } from "./asking-parts.ts";
import type { AskRequest } from "./asking.ts";
import type { InstalledToken } from "./options.ts";
import type { Refuse, Wish } from "./wish.ts";

/** Combines what is known about a survey and the current person. Without definitions it is a preview. */
export function askRequest(
  parts: AskingParts,
  installed: readonly InstalledToken[],
  survey: SurveyDefinition,
  wish: Wish,
  definitions: BootstrapReply | undefined,
  refuse: Refuse,
): AskRequest {
  const { identity, options, store } = parts;
  const { testMode, linkedOnly } = options;
  const respondent = identity.current();
  const isPractice = !definitions || !!testMode;
  const { id } = survey;
  const wasAsked = (run?: Partial<InstalledToken>) =>
    !(+(store.read(askedName(respondent, { ...run, surveyId: id })) ?? 0) < parts.requestedAt!);
  // The newest run is the one on the screen (decision O107).
  const tokenNow = () => wish.run ?? installed.find((run) => run.surveyId === id && !wasAsked(run));
  return {
    ...wish,
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
        : (parts.muted || options.muted) && !wish.isByPerson
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
        : ((await parts.withDebugFile(({ whyNotTargeted }) => whyNotTargeted(survey, respondent))) ??
          "load-failed"),
    refuse: (reason) => refuse(reason, wish, survey),
  };
}
