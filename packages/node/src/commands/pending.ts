import { exitCodes, type ExitCode } from "./exit-code.ts";
import { type Invocation, makeClient } from "./command-options.ts";
import { writeJson } from "./shell.ts";

/** `afterword pending`: lists the queue. Plain lines leave out texts; JSON has whole scores. */
export async function pending(call: Invocation): Promise<ExitCode> {
  const { flags, shell } = call;
  const query = { includeFailed: flags.includeFailed, signal: shell.interrupted };
  let count = 0;
  for await (const score of makeClient(call).pendingScores(query)) {
    count += 1;
    if (flags.count) continue;
    if (flags.json) await writeJson(shell, score);
    else
      await shell.writeOut(
        `${score.id} ${score.at} ${score.surveyId} ${score.sessionId ?? "-"} ${score.rating ?? "-"}\n`,
      );
  }
  if (flags.count) await (flags.json ? writeJson(shell, { count }) : shell.writeOut(`${count}\n`));
  return exitCodes.done;
}
