import type { RatedRun } from "@afterword/browser";
import type { HandedOverRun } from "@afterword/protocol";
import { fault } from "./fault.ts";

export type { HandedOverRun };

/** What is rated: a run as the server handed it over, or one token with its session, or how to get that token. */
export type RunProps =
  | {
      /** `null` or `undefined` until the server has handed it over. */
      run: HandedOverRun | null | undefined;
      /** Which of the run's surveys. Needed if it has tokens of several. */
      surveyId?: string;
    }
  | (RatedRun & { run?: undefined });

type Loose = Partial<RatedRun> & { run?: HandedOverRun | null };

/** The run of a component's props, if there is a token for it or a way to get one, and the props that are left. */
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
