import type { AskOptions, RateOptions, SubmitResult, SurveyAnswer } from "@afterword/browser";
import { useRef, useState } from "react";
import { useBrowserLayoutEffect, useProvided } from "./afterword-provider.ts";
import { type HandedOverRun, splitRun } from "./split-run.ts";

/** How a run is rated from a component of your own, and what became of the rating. */
export interface RunFeedback {
  /** Whether the server gave a token for this run; without one there is nothing to ask. */
  canRate: boolean;
  /** The outcome of the rating, retries included; `undefined` before there is one. */
  result: "sending" | SubmitResult | undefined;
  /** Sends a rating of this run, from your own control. Never rejects; `refused` without a token. */
  rate(answer: SurveyAnswer, options?: Omit<RateOptions, "settled">): Promise<SubmitResult>;
  /** Lets the widget ask about this run: the survey with this slug, or without a slug one with an automatic trigger. */
  ask(slug?: string, options?: AskOptions): void;
}

/**
 * Feedback on one run, as the server handed it over. Of several surveys, `surveyId` or the option `type` of `rate` says
 * which one is rated. The result belongs to the run: with the next one it is gone.
 * @example
 * function Stars({ run }: { run?: HandedOverRun }) {
 *   const { rate, result } = useRunFeedback(run, "answer");
 *   return <button onClick={() => rate({ rating: 5 })}>{result ? "Thank you" : "Five stars"}</button>;
 * }
 */
export function useRunFeedback(run: HandedOverRun | null | undefined, surveyId?: string): RunFeedback {
  const { client } = useProvided("useRunFeedback()");
  const [rated] = splitRun({ run, surveyId });
  // Not its tokens, because a run stays the same when one is minted anew.
  const id = JSON.stringify([run?.sessionId, run?.observationId, surveyId]);
  const [outcome, setOutcome] = useState<{ id: string; result: RunFeedback["result"] }>();
  const current = useRef(id);
  useBrowserLayoutEffect(() => {
    current.current = id;
    return () => setOutcome(undefined);
  }, [id]);
  const setResult = (result: RunFeedback["result"]) => {
    // What an earlier run's rating becomes arrives late.
    if (current.current === id) setOutcome({ id, result });
  };
  return {
    canRate: !!rated,
    result: outcome?.id === id ? outcome.result : undefined,
    async rate(answer, options) {
      setResult("sending");
      const sent =
        (rated && (await client.rate(rated, answer, { ...options, settled: setResult }))) ?? "refused";
      setResult(sent);
      return sent;
    },
    ask(slug, options) {
      for (const [surveyId, token] of Object.entries(run?.tokens ?? {}))
        client.install({ ...run!, surveyId, token });
      client.resolve();
      if (slug) client.ask(slug, options);
    },
  };
}
