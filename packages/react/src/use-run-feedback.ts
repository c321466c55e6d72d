import type { AskOptions, RateOptions, SubmitResult, SurveyAnswer } from "@afterword/browser";
import { useState } from "react";
import { useProvided } from "./afterword-provider.ts";
import { type HandedOverRun, splitRun } from "./split-run.ts";

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

/** Feedback on one run, as the server handed it over. `surveyId` is required if it has tokens for several surveys. */
export function useRunFeedback(run: HandedOverRun | null | undefined, surveyId?: string): RunFeedback {
  const { client } = useProvided("useRunFeedback()");
  const [result, setResult] = useState<RunFeedback["result"]>();
  const [rated] = splitRun({ run, surveyId });
  return {
    canRate: !!rated,
    result,
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
