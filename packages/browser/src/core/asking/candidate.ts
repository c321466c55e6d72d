import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import { whyNotShown } from "@afterword/protocol/why-not-shown";
import { type NotShownReason, type AskOptions, type InstalledToken, requireText } from "../public/index.ts";
import { askedName, type Context } from "../context/index.ts";
import type { Page } from "../page/index.ts";

/** A survey that the page wants; without a slug, any that asks by itself. */
export interface SurveyRequest {
  slug?: string;
  slot?: HTMLElement;
  openedByPerson?: boolean;
  /** Whether the person opened it and has done nothing else since. */
  mayTakeFocus(): boolean;
  /** Its run, with a token of its own. */
  run?: InstalledToken;
  /** Of its run, for several surveys. */
  tokens?: AskOptions["tokens"];
  /** Whether a run has ended of which the page may expect a survey. */
  isAfterRun?: boolean;
  /** Whether the page knows why it does not show while the service does not answer. */
  isRefused?: boolean;
}

/** Reports why a requested survey is not shown. */
export type Refuse = (reason: NotShownReason, request: SurveyRequest, survey?: SurveyDefinition) => void;

/** Makes a request of what the page asks for. @param slug absent for any survey that asks by itself */
export function requestOf(page: Page, given: AskOptions = {}, slug?: string): SurveyRequest {
  const { slot, openedByPerson, tokens, surveyId, token, sessionId } = given;
  const run = (tokens ?? token ?? (slot && sessionId)) ? ({ ...given } as InstalledToken) : undefined;
  if (run) requireText("surveyId, token and sessionId", sessionId, tokens ? sessionId : surveyId && token);
  // If the person acts while files and replies load, the focus stays with them.
  let isIdle = openedByPerson;
  const touch = () => (isIdle = false);
  for (const event of openedByPerson ? ["keydown", "pointerdown"] : [])
    page.addEventListener(event, touch, { once: true, capture: true });
  return { slug, slot, tokens, run, openedByPerson, mayTakeFocus: () => !!isIdle };
}

/**
 * The requested surveys. After a run also those that only the page may ask for, to say so: the ones with a token, or all if
 * none asks by itself. The chunk that asks validates each; here a reply may still contain anything.
 */
export function requestedSurveys(
  { slug, isAfterRun }: SurveyRequest,
  installed: readonly InstalledToken[],
  { surveys = [] }: Partial<BootstrapReply> = {},
) {
  const found = surveys.filter((survey) => (slug ? survey?.slug === slug : survey?.trigger === "auto"));
  if (!isAfterRun) return found;
  const isExpected = ({ id }: SurveyDefinition) =>
    installed.some(({ surveyId }) => surveyId === id) || !(installed[0] ?? found[0]);
  return [...surveys.filter((survey) => survey && !found.includes(survey) && isExpected(survey)), ...found];
}

/** A survey that may be shown to a person, as far as the core knows. */
export type Candidate = ReturnType<typeof createCandidate>;

/** Combines what is known about a survey and the current person. Without definitions it is a preview. */
export function createCandidate(
  context: Context,
  installed: readonly InstalledToken[],
  survey: SurveyDefinition,
  request: SurveyRequest,
  definitions: BootstrapReply | undefined,
  refuse: Refuse,
) {
  const { identity, options, store } = context;
  const { testMode, linkedOnly } = options;
  const respondent = identity.current();
  const isPractice = !definitions || !!testMode;
  const { id } = survey;
  const token = request.tokens?.[id];
  if (token) request.run = { ...request.run!, surveyId: id, token };
  const wasAsked = (run?: Partial<InstalledToken>) =>
    !(+(store.read(askedName(respondent, { ...run, surveyId: id })) ?? 0) < context.requestedAt!);
  // The newest run is the one on the screen.
  const tokenNow = () => request.run ?? installed.find((one) => one.surveyId === id && !wasAsked(one));
  return {
    ...request,
    survey,
    respondent,
    definitions,
    /** Preview or test mode: nothing is sent or stored. */
    isPractice,
    /** The session-bound token for an answer given now. */
    tokenNow,
    /** Returns why it must not be shown now, after the delay. */
    whyNot(): NotShownReason | undefined {
      // If all installed runs were asked about, the page wants no answer about any other run.
      const latest = tokenNow() ?? installed.find((one) => one.surveyId === id);
      return isPractice
        ? undefined
        : (context.muted || options.muted) && !request.openedByPerson
          ? "muted"
          : whyNotShown(survey, {
              respondent,
              definitions,
              // Read here, where an invalid id is expected to throw.
              get wasAsked() {
                return wasAsked(latest);
              },
              isLinked: !!latest,
              linkedOnly,
            });
    },
    /** Returns why its targeting excludes the person; loads the code for that only if there is targeting. */
    checkTargeting: async () =>
      isPractice || !survey.targeting
        ? undefined
        : ((await context.withDebugFile((file) => file.whyNotTargeted(survey, respondent.traits) ?? "")) ??
          "load-failed"),
    refuse: (reason: NotShownReason) => refuse(reason, request, survey),
  };
}
