import type { BootstrapReply } from "@afterword/protocol";
import type { RatedRun, RateOptions, RunWithTokens } from "../options/index.ts";
import type { Reporting } from "../events/index.ts";

/**
 * Chooses the survey of a run that was handed over with the tokens of several: the named one, the only one, or the
 * only one of the rating's type. Otherwise throws an error that names them; but a rating that only prepares does not
 * fail because the service does not answer.
 */
export async function chooseSurvey(
  { AfterwordError }: Reporting,
  definitions: { load(): Promise<BootstrapReply | undefined> },
  run: RatedRun | RunWithTokens,
  { type, ready }: RateOptions,
): Promise<RatedRun> {
  if (!("tokens" in run) || !run.tokens) return run as RatedRun;
  const { tokens, ...rest } = run;
  const withToken = (surveyId: string): RatedRun => ({ ...rest, surveyId, token: tokens[surveyId] });
  const ids = run.surveyId ? [run.surveyId] : Object.keys(tokens);
  if (ids.length === 1) return withToken(ids[0]!);
  const reply = ids[0] ? await definitions.load() : undefined;
  const typeOf = (id: string) => reply?.surveys.find((one) => one?.id === id)?.type;
  const fitting = ids.filter((id) => type && typeOf(id) === type);
  if (fitting.length === 1 || (ready && ids[0] && !reply)) return withToken(fitting[0]!);
  const names = ids.map((id) => `${id} (${typeOf(id) ?? "unknown"})`).join(", ");
  throw new AfterwordError(
    "invalid_argument",
    `pass surveyId: the run has tokens of ${names || "no survey"}`,
  );
}
