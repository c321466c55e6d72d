import { ConfigurationError } from "../errors/afterword-error.ts";
import { RespondentClient } from "../respondent/respondent-client.ts";
import { runTerminalSurvey } from "../respondent/terminal-survey.ts";
import { connectionOf, type Invocation, makeClient, publishableKeyOf } from "./command-options.ts";
import type { Flags } from "./flags.ts";
import { typedLine, writeJson } from "./shell.ts";

/** A request for a linked rating must not silently collect an unlinked one. */
function checkLink({ respondent, session, observation, taskType }: Flags): void {
  if (session !== undefined && respondent === undefined)
    throw new ConfigurationError("--session needs --respondent: a token is minted for one person.");
  if (session === undefined && (observation ?? taskType) !== undefined)
    throw new ConfigurationError("--observation and --task-type need --session and --respondent.");
}

/**
 * `afterword ask`: shows a survey in the terminal. With `--respondent`, `--session` and the secret key, it mints first, so
 * that the rating is linked.
 */
export async function ask(call: Invocation): Promise<void> {
  const { flags, shell } = call;
  checkLink(flags);
  const { interrupted: signal } = shell;
  const person = new RespondentClient({
    ...connectionOf(call),
    publishableKey: flags.publishableKey ?? publishableKeyOf(call),
    userId: flags.respondent,
    language: flags.language,
  });
  const { respondent: respondentId, session: sessionId, observation: observationId, taskType } = flags;
  if (respondentId !== undefined && sessionId !== undefined) {
    const bound = { sessionId, observationId, taskType };
    const { tokens } = await makeClient(call).mint({ respondentId, ...bound }, { signal });
    for (const [surveyId, token] of Object.entries(tokens)) person.install({ surveyId, token, ...bound });
  }
  const found = await person.nextAsk({ slug: flags.slug, signal });
  const result = found
    ? await runTerminalSurvey(found, { write: shell.writeError, readLine: () => typedLine(shell) })
    : undefined;
  if (!result) shell.writeError("No survey to ask: this respondent may not be shown one now.\n");
  if (flags.json) writeJson(shell, result ?? { outcome: "gated" });
}
