import { exitCodes, type ExitCode } from "./exit-code.ts";
import { type Invocation, makeClient } from "./command-options.ts";
import type { Flags } from "./flags.ts";
import { writeJson } from "./shell.ts";

/** Only the selectors that were given, since the client refuses a selector without a value. */
export function selectorsOf({ respondent, email, survey }: Flags) {
  return {
    ...(respondent === undefined ? {} : { respondentId: respondent }),
    ...(email === undefined ? {} : { email }),
    ...(survey === undefined ? {} : { surveySlug: survey }),
  };
}

/** `afterword export`: streams stored responses, one JSON object per line. They hold personal data. */
export async function exportRows(call: Invocation): Promise<ExitCode> {
  const { flags, shell } = call;
  const client = makeClient(call);
  const rows = client.privacy.export(selectorsOf(flags), { signal: shell.interrupted });
  for await (const row of rows) await writeJson(shell, row);
  shell.writeError(`exported ${rows.summary?.count} responses of ${rows.summary?.exportedAt}\n`);
  return exitCodes.done;
}
