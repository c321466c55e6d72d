import { exitCodes, type ExitCode } from "./exit-code.ts";
import { makeClient, readConfigFile, required, type Flags } from "./settings.ts";
import { writeJson, type Shell } from "./shell.ts";

/** `afterword mint`: tokens for one respondent and one session, a line per survey. */
export async function mint(flags: Flags, shell: Shell): Promise<ExitCode> {
  const client = makeClient(flags, await readConfigFile(flags.config, shell), shell);
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
  if (minted.gated) shell.writeError("No tokens: this respondent must not be asked now.\n");
  return exitCodes.done;
}
