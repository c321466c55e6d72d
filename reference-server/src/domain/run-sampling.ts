import { type KeyObject } from "node:crypto";
import { isTargeted, type MintBody, type MintedRun, type ScoredRun } from "@afterword/protocol";
import { type Sampling } from "../store/project.ts";
import { keyedHash } from "./respondent-hash.ts";

/** What decides whether a survey asks about a run; nothing of it comes from a page. */
type SampledRun = Pick<MintBody, "sessionId" | "observationId"> & Pick<MintedRun, "facts">;

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
  /** Sealed into the token, so that a later change of the setting does not change the run's weight. */
  draw: Pick<ScoredRun, "stratum" | "samplingProbability">;
  isAsked: boolean;
}

/** Draws with the probability of the first stratum whose rules the run's facts match, else with the survey's own. */
export function sampledAs(pepper: KeyObject, surveyId: string, sampling: Sampling, run: SampledRun): Sampled {
  const stratum = sampling.strata?.find(({ when }) => isTargeted(when, run.facts ?? {}));
  const samplingProbability = stratum?.probability ?? sampling.probability;
  const draw = { stratum: stratum?.name, samplingProbability };
  return { draw, isAsked: positionOf(pepper, surveyId, run) < samplingProbability };
}
