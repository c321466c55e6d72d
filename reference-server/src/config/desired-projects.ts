import { type ProjectConfig, type ServerConfig, type SurveyConfig } from "./server-config.ts";
import { type DesiredProject } from "../domain/apply-config.ts";
import { type DesiredSurvey } from "../domain/manage-surveys.ts";
import { type GatingRules } from "../store/project.ts";
import { type TokenLifetimes } from "../domain/service.ts";
import { durationInMs } from "./duration.ts";

const dayInMs = 24 * 60 * 60_000;

function gatingRules({ gating = {} }: ProjectConfig): GatingRules {
  const { quietPeriod, monthlyCap, surveyMaximum } = gating;
  return {
    ...(quietPeriod !== undefined && { quietPeriodInMs: durationInMs(quietPeriod) }),
    ...(monthlyCap !== undefined && { monthlyCap }),
    ...(surveyMaximum !== undefined && { surveyMaximum }),
  };
}

/** Converts a survey of the config; only a changed definition changes its version. */
export function desiredSurvey({ status, maximum, targeting, ...rest }: SurveyConfig): DesiredSurvey {
  const definition = { ...rest, ...(targeting && { targeting: [...targeting] }) };
  return { definition, status, maximum };
}

/** Converts the projects of a config. */
export function desiredProjects(config: ServerConfig): DesiredProject[] {
  return config.projects.map((project) => ({
    id: project.id,
    name: project.name,
    publishableKey: project.publishableKey,
    secretKey: project.secretKey,
    allowedOrigins: [...project.allowedOrigins],
    gating: gatingRules(project),
    surveys: project.surveys.map(desiredSurvey),
  }));
}

/** A day for unbound tokens and a week for bound ones, unless the config says otherwise (decision D2). */
export function tokenLifetimes({ tokens = {} }: ServerConfig): TokenLifetimes {
  return {
    unboundInMs: durationInMs(tokens.unboundLifetime ?? "") ?? dayInMs,
    boundInMs: durationInMs(tokens.boundLifetime ?? "") ?? 7 * dayInMs,
  };
}
