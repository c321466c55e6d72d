import { type KeyObject } from "node:crypto";
import { isTargeted, type RunFacts, type ScoredRun } from "@afterword/protocol";
import { type Sampling } from "../store/project.ts";
import { keyedHash } from "./respondent-hash.ts";

/** What decides whether a survey asks about a run; nothing of it comes from a page. */
export interface SampledRun {
  sessionId: string;
  observationId?: string;
  facts?: RunFacts;
}

/** How a run was chosen: sealed into its token, so that a later change of the setting does not change its weight. */
export interface SampleDraw extends Pick<ScoredRun, "stratum"> {
  samplingProbability: number;
}

/**
 * Position of a run in a survey's sample, 0 (included) to 1 (excluded): the same for each mint of the run, independent of
 * those in other surveys, and unpredictable without the project's pepper.
 */
function positionOf(pepper: KeyObject, surveyId: string, { sessionId, observationId }: SampledRun): number {
  const run = JSON.stringify([surveyId, sessionId, observationId]);
  return keyedHash(pepper, `sampling/${run}`).readUIntBE(0, 6) / 2 ** 48;
}

/** The first stratum whose rules the run's facts match, else the survey's own probability. */
function drawOf({ probability, strata = [] }: Sampling, facts: RunFacts = {}): SampleDraw {
  const stratum = strata.find(({ when }) => isTargeted(when, facts));
  return { stratum: stratum?.name, samplingProbability: stratum?.probability ?? probability };
}

/** How the run was drawn, and whether the survey asks about it. */
export function sampledAs(
  pepper: KeyObject,
  surveyId: string,
  sampling: Sampling,
  run: SampledRun,
): { draw: SampleDraw; isAsked: boolean } {
  const draw = drawOf(sampling, run.facts);
  return { draw, isAsked: positionOf(pepper, surveyId, run) < draw.samplingProbability };
}
