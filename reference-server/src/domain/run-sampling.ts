import { type KeyObject } from "node:crypto";
import { isTargeted, type RunFacts, type ScoredRun } from "@afterword/protocol";
import { type Sampling } from "../store/project.ts";
import { keyedHash } from "./respondent-hash.ts";

/** The facts that decide whether a survey asks about a run; none of them comes from a page. */
export interface SampledRun {
  sessionId: string;
  observationId?: string;
  facts?: RunFacts;
}

/** The draw that chose a run: sealed into its token, so that a later change of the setting does not change its weight. */
export interface SampleDraw extends Pick<ScoredRun, "stratum"> {
  samplingProbability: number;
}

/**
 * Position of a run in the sample of a survey, 0 (included) to 1 (excluded): the same for each mint of the run, independent of
 * those in other surveys, and unpredictable without the project's pepper.
 */
function positionOf(pepper: KeyObject, surveyId: string, { sessionId, observationId }: SampledRun): number {
  const hash = keyedHash(pepper, `sampling/${JSON.stringify([surveyId, sessionId, observationId])}`);
  return hash.readUIntBE(0, 6) / 2 ** 48;
}

/** The decision of a survey with sampling about a run. */
export interface Sampled {
  draw: SampleDraw;
  isAsked: boolean;
}

/** Draws with the probability of the first stratum whose rules the run's facts match, else with the survey's own. */
export function sampledAs(pepper: KeyObject, surveyId: string, sampling: Sampling, run: SampledRun): Sampled {
  const stratum = sampling.strata?.find(({ when }) => isTargeted(when, run.facts ?? {}));
  const samplingProbability = stratum?.probability ?? sampling.probability;
  const draw = { stratum: stratum?.name, samplingProbability };
  return { draw, isAsked: positionOf(pepper, surveyId, run) < draw.samplingProbability };
}
