import type { RatedRun } from "@afterword/browser";
import type { HandedOverRun } from "@afterword/protocol";
import { fault } from "./fault.ts";

export type { HandedOverRun };

/** What to rate: a run as the server handed it over, or a session with its token or a function that gets it. */
export type RunProps =
  | {
      /** `null` or `undefined` until the server has handed it over. */
      run: HandedOverRun | null | undefined;
      /** Which of the run's surveys. Required if it has tokens for several. */
      surveyId?: string;
    }
  | (RatedRun & { run?: undefined });

type Loose = Partial<RatedRun> & { run?: HandedOverRun | null };

/** Splits props into the run, if it has a token or a way to get one, and the remaining props. */
export function splitRun<Props extends Loose>(
  props: Props,
): [rated: RatedRun | undefined, own: Omit<Props, keyof Loose>] {
  const { run, surveyId, token, getToken, sessionId, observationId, taskType, ...own } = props;
  let rated: Loose = { surveyId, token, getToken, sessionId, observationId, taskType };
  if (run) {
    const [first, second] = Object.keys(run.tokens);
    if (!surveyId && second) console.error(fault(`pass surveyId: ${first} or ${second}?`));
    const chosen = surveyId ?? (second ? "" : first!);
    rated = { ...run, surveyId: chosen, token: run.tokens[chosen] };
  }
  return [(rated.token ?? rated.getToken) ? (rated as RatedRun) : undefined, own];
}
