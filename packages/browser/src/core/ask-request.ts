import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import { whyNotShown } from "@afterword/protocol/why-not-shown";
import { askedName } from "./asked-name.ts";
import type { AskingParts } from "./asking-parts.ts";
import type { AskRequest } from "./asking.ts";
import type { Wish } from "./wish.ts";

/** Puts together what is known of a survey and the person in front of the page. Without definitions it is a preview. */
export function askRequest(
  { identity, installed, options, store }: AskingParts,
  survey: SurveyDefinition,
  wish: Wish,
  definitions: BootstrapReply | undefined,
  refuse: AskRequest["refuse"],
): AskRequest {
  const { testMode, linkedOnly } = options;
  const respondent = identity.current();
  const isPractice = !definitions || !!testMode;
  return {
    ...wish,
    survey,
    respondent,
    definitions,
    isPractice,
    whyNot: () =>
      isPractice
        ? undefined
        : whyNotShown(survey, {
            respondent,
            definitions,
            // Read where an odd id is expected to throw.
            get wasAsked() {
              return !!store.read(askedName(respondent, survey.id, installed.get(survey.id)));
            },
            isLinked: installed.has(survey.id),
            linkedOnly,
          }),
    refuse,
  };
}
