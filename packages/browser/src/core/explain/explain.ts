import type { SurveyDefinition } from "@afterword/protocol";
import { samplePosition } from "@afterword/protocol/sampling";
import { isTargeted } from "@afterword/protocol/targeting";
import type { NotShownReason, Respondent } from "../public/index.ts";
import type { Page } from "../page/index.ts";

const sentences: Record<NotShownReason, string> = {
  "consent": "consent is required; call consent(true) once the person agrees",
  "task": "a task is running; it is asked again at resolve()",
  "muted": "the person does not want to be asked; see mute and the option muted",
  "unreachable": "the service did not answer; see the error event",
  "private-network":
    "this page calls a private or local address, for which browsers ask people for permission; see docs/browser/surroundings.md",
  "rate-limited": "too many requests came from this network address; see docs/reference/limits.md",
  "unavailable": "the service is busy or cannot answer now; see the error event",
  "unknown": "the project has no active survey with this slug",
  "manual": "its trigger is manual, so it waits for the page",
  "suppressed": "this respondent has already answered or closed it",
  "targeting": "the respondent's traits do not match",
  "sampling": "the respondent is outside the sample",
  "gated": "the service gave no token (suppression, quiet period, monthly cap or the survey's maximum)",
  "unlinked": "linkedOnly is set and no session-bound token is installed",
  "busy": "another survey is shown",
  "no-slot": 'the page has no <afterword-survey slug="…"> or data-afterword-slot for it',
  "load-failed": "a file of the widget failed to load; see the error event",
  "unsupported": "this version cannot show one of its fields",
  "superseded": "it was closed or asked again, or the user changed, before it appeared",
};

/** The failed rule as the survey states it; the person's own traits stay out of the console. */
function failedRule({ targeting = [] }: SurveyDefinition, { traits }: Respondent): string {
  const rule = targeting.find((rule) => !isTargeted([rule], traits));
  return rule ? `: ${rule.trait} ${rule.op} ${JSON.stringify(rule.value)}` : "";
}

function detailOf(reason: NotShownReason, survey: SurveyDefinition, respondent: Respondent): string {
  if (reason === "manual") return `: call ask(${JSON.stringify(survey.slug)})`;
  if (reason === "targeting") return failedRule(survey, respondent);
  if (reason !== "sampling") return "";
  const place = samplePosition(respondent.id, survey.id).toFixed(2);
  return `: position ${place} is not below samplePercent ${survey.samplePercent}`;
}

/** Logs one line with the reason and rule for not showing a survey. */
export function explain(
  { page, identity }: { page: Page; identity: { current(): Respondent } },
  reason: NotShownReason,
  slug: string,
  survey?: SurveyDefinition,
): void {
  const detail = survey ? detailOf(reason, survey, identity.current()) : "";
  page.console.debug(`afterword: "${slug}" is not shown (${reason}): ${sentences[reason]}${detail}.`);
}
