import type { Afterword } from "../core/client/index.ts";
import type { RatedRun, RunWithTokens } from "../core/options/index.ts";
import type { SurveyAnswer } from "../core/survey/index.ts";

/** By client, because what all runs need loads once. */
const prepared = new WeakMap<Afterword["rate"], Promise<boolean>>();

async function whetherReady(rate: Afterword["rate"], run: RatedRun | RunWithTokens): Promise<boolean> {
  let isReady = false;
  const ready = () => void (isReady = true);
  await rate(run, {} as SurveyAnswer, { ready, type: "csat" });
  return isReady;
}

/**
 * Waits for consent and loads what a vote needs, so that a vote just before the page is left still arrives. Resolves to
 * false if the run cannot be rated or a file did not load, which `on("error")` reports.
 */
export function prepare(rate: Afterword["rate"], run: RatedRun | RunWithTokens): Promise<boolean> {
  // Which survey is the one to rate depends on the run.
  if ("tokens" in run) return whetherReady(rate, run);
  const preparing = prepared.get(rate) ?? whetherReady(rate, {} as RatedRun);
  prepared.set(rate, preparing);
  void preparing.then((isReady) => isReady || prepared.delete(rate));
  return preparing;
}
