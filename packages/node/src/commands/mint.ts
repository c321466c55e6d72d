import type { MintReply } from "@afterword/protocol";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { unknownSurveyMessage, unknownSurveys } from "../client/client.ts";
import { type Invocation, makeClient, required } from "./command-options.ts";
import { writeJson } from "./shell.ts";

/** `afterword mint`: tokens for one respondent and one session, a line per survey. */
export async function mint(call: Invocation): Promise<ExitCode | void> {
  const { flags, shell } = call;
  const client = makeClient(call);
  const body = {
    respondentId: required(flags.respondent, "--respondent"),
    sessionId: required(flags.session, "--session"),
    observationId: flags.observation,
    taskType: flags.taskType,
    surveyId: flags.survey,
  };
  const minted = await client.mint(body, { signal: shell.interrupted });
  if (flags.json) writeJson(shell, minted);
  else
    for (const [surveyId, token] of Object.entries(minted.tokens)) shell.writeOut(`${surveyId} ${token}\n`);
  const unknown = unknownSurveys(minted);
  for (const surveyId of unknown) shell.writeError(`afterword: ${unknownSurveyMessage(surveyId)}\n`);
  if (unknown.length > 0) return exitCodes.usage;
  for (const line of whyNone(minted)) shell.writeError(line);
}

/** Other servers give no reasons. */
function whyNone({ tokens, reason = {} }: MintReply): string[] {
  const lines = Object.entries(reason).map(
    ([surveyId, why]) => `No token for ${surveyId}: ${reasons[why] ?? why}.\n`,
  );
  const isEmpty = lines.length === 0 && Object.keys(tokens).length === 0;
  return isEmpty ? [`No tokens: ${gated}.\n`] : lines;
}

const gated = "this respondent must not be asked now";
const reasons: Readonly<Record<string, string>> = {
  gated,
  maximum: "the survey has all the responses that it may have",
  survey_inactive: "the survey is not active",
  not_sampled: "this run was not chosen for the sample",
};
