import { exitCodes, type ExitCode } from "./exit-code.ts";
import { makeClient, readConfigFile, type Flags } from "./settings.ts";
import { writeJson, type Shell } from "./shell.ts";

/** `afterword pending`: lists the queue. Plain lines leave out texts; JSON has whole rows. */
export async function pending(flags: Flags, shell: Shell): Promise<ExitCode> {
  const client = makeClient(flags, await readConfigFile(flags.config, shell), shell);
  const { includeFailed } = flags;
  let count = 0;
  for await (const row of client.pendingScores({ includeFailed, signal: shell.interrupted })) {
    count += 1;
    if (flags.count) continue;
    if (flags.json) await writeJson(shell, row);
    else
      await shell.writeOut(
        `${row.id} ${row.at} ${row.surveyId} ${row.sessionId ?? "-"} ${row.rating ?? "-"}\n`,
      );
  }
  if (flags.count && flags.json) writeJson(shell, { count });
  else if (flags.count) shell.writeOut(`${count}\n`);
  return exitCodes.done;
}
