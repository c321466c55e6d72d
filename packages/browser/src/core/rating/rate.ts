import type { BootstrapReply } from "@afterword/protocol";
import { ratingBounds, ratingFits, ratingsOf } from "@afterword/protocol/rating-scale";
import type { RatedRun, RateOptions, RunWithTokens, SubmitResult, SurveyAnswer } from "../public/index.ts";
import type { OpenSurveys } from "../asking/index.ts";
import { withTimeout } from "../page/index.ts";
import type { Context } from "../context/index.ts";
import { createTokenChecks, createRunVotes } from "./run-votes.ts";

/** Longest wait for suggested reasons before an empty list is passed. */
const longestWaitInMs = 500;

type Load = (onlyKnown?: boolean) => Promise<BootstrapReply | undefined>;

/** Creates the function that sends ratings given outside a survey, through the outbox. It never rejects. */
export function createRate(context: Context, { outbox, submissionOf, wordsOf }: OpenSurveys, load: Load) {
  const checkToken = createTokenChecks(context);
  const votes = (outbox.votes = createRunVotes(context, outbox));
  const { identity, isPrivate, askedName, report, page, errorOf } = context;
  const late = errorOf("rate: getToken did not answer");
  return async (
    mayAsk: boolean,
    given: RatedRun | RunWithTokens,
    answer: SurveyAnswer,
    givenOptions?: RateOptions | null,
  ): Promise<SubmitResult> => {
    const options = givenOptions ?? {};
    const { signal, type, suggest, ready } = options;
    const isWithdrawn = () => signal?.aborted;
    try {
      if (isWithdrawn()) return "refused";
      checkArguments(context, given, answer, options);
      if (!mayAsk) throw errorOf("rate: consent is required; call consent(true) first");
      const respondent = identity.current();
      if (type && suggest) page.setTimeout(() => suggest([]), longestWaitInMs);
      const run = await chooseSurvey(context, load, given, options);
      const { surveyId } = run;
      const asked = askedName(respondent, run);
      let isUnfit = false;
      const takeBack = () => outbox.takeBack(asked);
      if (ready) {
        const vote = Object.assign(votes.voteOn(run), { takeBack });
        ready(vote);
        void checkToken(run.token, vote).catch(report);
      }
      if (ready ?? isWithdrawn()) return "refused";
      signal?.addEventListener("abort", takeBack);
      const refuse = () => {
        isUnfit = true;
        takeBack();
      };
      const definitions = load(!type);
      const rated = { ...options, surveyId, rating: answer.rating };
      const checking = checkRating(context, wordsOf, definitions, rated, refuse).catch(report);
      // Definitions that are here already decide before anything is sent.
      if (await Promise.race([definitions, undefined])) await checking;
      const token = run.token ?? (await withTimeout(page, Promise.resolve(run.getToken?.()), late));
      if (isWithdrawn() || isUnfit) return "refused";
      if (!token || typeof token !== "string") throw errorOf("rate: the run has no token");
      const submission = submissionOf(respondent, { ...run, token }, isPrivate(), answer);
      return await outbox.add(submission, asked, options);
    } catch (error) {
      report(error);
    }
    return "refused";
  };
}

/**
 * Chooses the survey of a run that was handed over with the tokens of several: the named one, the only one, or the
 * only one of the rating's type. Otherwise throws an error that names them; but a rating that only prepares does not
 * fail because the service does not answer.
 */
async function chooseSurvey(
  { errorOf }: Context,
  load: Load,
  run: RatedRun | RunWithTokens,
  { type, ready }: RateOptions,
): Promise<RatedRun> {
  if (!("tokens" in run) || !run.tokens) return run as RatedRun;
  const { tokens, ...rest } = run;
  const withToken = (surveyId: string): RatedRun => ({ ...rest, surveyId, token: tokens[surveyId] });
  const ids = run.surveyId ? [run.surveyId] : Object.keys(tokens);
  if (ids.length === 1) return withToken(ids[0]!);
  const reply = ids[0] ? await load() : undefined;
  const typeOf = (id: string) => reply?.surveys.find((one) => one?.id === id)?.type;
  const fitting = ids.filter((id) => type && typeOf(id) === type);
  if (fitting.length === 1 || (ready && ids[0] && !reply)) return withToken(fitting[0]!);
  const names = ids.map((id) => `${id} (${typeOf(id) ?? "unknown"})`).join(", ");
  throw errorOf(`pass surveyId: the run has tokens of ${names || "no survey"}`);
}

/**
 * Compares a rating with its survey's definition: withdraws it with an error if the type differs or the survey does not take
 * it, otherwise passes on the reasons that the survey suggests for its worst rating.
 */
async function checkRating(
  { report, errorOf }: Context,
  wordsOf: OpenSurveys["wordsOf"],
  definitions: Promise<BootstrapReply | undefined>,
  { surveyId, rating, type, language, suggest }: RateOptions & { surveyId: string; rating: number },
  withdraw: () => void,
): Promise<void> {
  const survey = (await definitions)?.surveys.find((one) => one?.id === surveyId);
  const isOfType = !type || survey?.type === type;
  if (survey && !(isOfType && ratingFits(survey, rating))) {
    withdraw();
    const why = isOfType ? `takes ${ratingsOf(survey).join(", ")}` : `is ${survey.type} and not ${type}`;
    report(errorOf(`survey ${surveyId} ${why}`));
  } else if (survey?.suggestions ?? survey?.translations)
    suggest?.(wordsOf(survey!, language)(ratingBounds[survey!.type][0]).suggestions);
  else suggest?.([]);
}

/** The fields of run, answer and options by their type; `undefined` and `null` pass. */
const fields = {
  string: "surveyId sessionId observationId taskType token text type language",
  number: "rating delayInMs",
  boolean: "followUpRequested",
  object: "tokens signal",
  function: "getToken suggest ready settled",
};

/** @throws AfterwordError that names the first argument of `rate` that cannot be used: pages may be written without types. */
function checkArguments(
  { errorOf }: Context,
  ...[run, answer, options]: [RatedRun | RunWithTokens, SurveyAnswer, RateOptions]
): void {
  const expect = (isMet: unknown, name: string, type: string) => {
    if (!isMet) throw errorOf(`rate: ${name} must be of type ${type}`);
  };
  for (const [name, given] of Object.entries({ run, answer, options })) {
    expect(given && typeof given === "object", name, "object");
    for (const [type, names] of Object.entries(fields))
      for (const field of names.split(" ")) {
        const value = (given as Record<string, unknown>)[field] ?? undefined;
        expect(value === undefined || typeof value === type, `${name}.${field}`, type);
      }
  }
  const { signal, ready } = options;
  expect(!signal || "addEventListener" in signal, "options.signal", "AbortSignal");
  expect(ready ?? Number.isInteger(answer.rating), "answer.rating", "integer");
  const survey: unknown = ready ?? run.surveyId ?? ("tokens" in run && run.tokens);
  expect(survey || survey === "", "run.surveyId", "string");
}
