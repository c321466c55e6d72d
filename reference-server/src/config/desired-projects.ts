import { type SurveyDefinition } from "@afterword/protocol";
import { dayInMs, durationInMs } from "@afterword/protocol/duration";
import type { AskAgainConfig, ProjectConfig, ServerConfig, SurveyConfig } from "./server-config.ts";
import { type DesiredProject, type DesiredSurvey } from "../administration/apply-config.ts";
import { type AskAgain, type GatingRules } from "../store/project.ts";
import { type TokenLifetimes } from "../domain/service.ts";

function gatingRules({ gating = {} }: ProjectConfig): GatingRules {
  const { quietPeriod, monthlyCap, surveyMaximum } = gating;
  return {
    ...(quietPeriod !== undefined && { quietPeriodInMs: durationInMs(quietPeriod) }),
    ...(monthlyCap !== undefined && { monthlyCap }),
    ...(surveyMaximum !== undefined && { surveyMaximum }),
  };
}

/** Without `afterDismissal`, a dismissal counts for a week in surveys of runs, and for `after` in others. */
function askAgainOf(config: AskAgainConfig = "never"): AskAgain | undefined {
  if (config === "never") return undefined;
  const afterDismissalInMs = durationInMs(config.afterDismissal ?? "");
  if ("eachRun" in config) return { eachRun: true, afterDismissalInMs: afterDismissalInMs ?? 7 * dayInMs };
  const afterInMs = durationInMs(config.after)!;
  return { afterInMs, afterDismissalInMs: afterDismissalInMs ?? afterInMs };
}

/** Converts a survey of the config; only a changed definition changes its version. */
export function desiredSurvey(survey: SurveyConfig): DesiredSurvey {
  const { status, maximum, askAgain, unprompted, sampling, ...rest } = survey;
  const definition = structuredClone(rest) as SurveyDefinition;
  return {
    definition,
    status,
    maximum,
    askAgain: askAgainOf(askAgain),
    unprompted: unprompted || undefined,
    sampling,
  };
}

export function desiredProjects(config: ServerConfig): DesiredProject[] {
  return config.projects.map((project) => ({
    ...project,
    allowedOrigins: [...project.allowedOrigins],
    gating: gatingRules(project),
    surveys: project.surveys.map(desiredSurvey),
  }));
}

/** A day for unbound tokens and a week for bound ones, unless the config says otherwise. */
export function tokenLifetimes({ tokens = {} }: ServerConfig): TokenLifetimes {
  return {
    unboundInMs: durationInMs(tokens.unboundLifetime ?? "") ?? dayInMs,
    boundInMs: durationInMs(tokens.boundLifetime ?? "") ?? 7 * dayInMs,
  };
}
