import { type MintReason } from "@afterword/protocol";

/** Why a mint gave no token, with what to do about it. */
export const mintReasons: Readonly<Record<MintReason, string>> = {
  gated:
    "gated: this respondent has rated or closed it (with eachRun: in this run), or is in a quiet period; use another respondentId, or change askAgain",
  maximum: 'maximum: it has all the responses that it wants; raise its "maximum"',
  not_sampled: 'not_sampled: its "sampling" leaves this run out; raise the probability',
  survey_inactive: 'survey_inactive: set its "status" to "active"',
  survey_unknown: "survey_unknown: no survey has this id; surveyId is the id, not the slug",
};

/** Why the widget did not show a survey, by the reason of its event `notShown`. */
export const notShownReasons: Readonly<Record<string, string>> = {
  "consent": "consent is required and not given: call consent(true)",
  "task": "a task is running: it is asked again once you call resolve()",
  "muted": "this person does not want to be asked: see mute",
  "unreachable": "the page could not reach this service: check baseUrl",
  "private-network":
    "the page calls a private or local address, for which browsers ask people for permission: see docs/browser/surroundings.md",
  "rate-limited":
    "too many requests came from this network address; the page asks once more by itself: see docs/reference/limits.md",
  "unavailable":
    "the service is busy or cannot answer now; if it says when to come back, the page asks once more by itself: see the service's log",
  "unknown": "no active survey has this slug: check the slug and the status",
  "manual": 'its trigger is manual, so it waits for the page: call ask("…") with its slug',
  "suppressed": "this respondent has answered or closed it: identify another, or change askAgain",
  "targeting": "the traits do not match its targeting: pass them to identify",
  "sampling": "samplePercent leaves this respondent out",
  "gated": "the service gave no token: see its bootstrap or mint",
  "unlinked": "linkedOnly is set and no token is installed: mint one and install it",
  "busy": "another survey is shown, or this occasion has had its survey: call resolve() for the next",
  "no-slot": "the page has no element for this inline survey: add an afterword-survey element with its slug",
  "load-failed": "the widget's files did not arrive: see the network tab",
  "unsupported": "the widget does not know this definition",
  "superseded": "it was closed, or another was asked for, before it could appear",
};
