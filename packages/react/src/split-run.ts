import type { RatedRun, RunWithTokens } from "@afterword/browser";
import type { HandedOverRun } from "@afterword/protocol";

export type { HandedOverRun };

/** What to rate: a run as the server handed it over, or a session with its token or a function that gets it. */
export type RunProps =
  | {
      /** `null` or `undefined` until the server has handed it over. */
      run: HandedOverRun | null | undefined;
      /** Which of the run's surveys. Default: the only one; of several, the only one that fits. */
      surveyId?: string;
    }
  | (RatedRun & { run?: undefined });

type Loose = Partial<RatedRun> & { run?: HandedOverRun | null };

/** Splits props into the run, if it has a token or a way to get one, and the remaining props. */
export function splitRun<Props extends Loose>(
  props: Props,
): [rated: RatedRun | RunWithTokens | undefined, own: Omit<Props, keyof Loose>] {
  const { run, surveyId, token, getToken, sessionId, observationId, taskType, ...own } = props;
  if (!run) {
    const rated = { surveyId, token, getToken, sessionId, observationId, taskType } as RatedRun;
    return [(token ?? getToken) ? rated : undefined, own];
  }
  const { tokens, ...facts } = run;
  const [first, second] = surveyId ? [surveyId] : Object.keys(tokens);
  if (second) return [run, own];
  return [first && tokens[first] ? { ...facts, surveyId: first, token: tokens[first] } : undefined, own];
}
