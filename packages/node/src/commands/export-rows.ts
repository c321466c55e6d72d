import { exitCodes, type ExitCode } from "./exit-code.ts";
import { makeClient, readConfigFile, type Flags } from "./command-options.ts";
import { writeJson, type Shell } from "./shell.ts";

/** Only the selectors that were given, since the client refuses a selector without a value. */
export function selectorsOf({ respondent, email, survey }: Flags) {
  return {
    ...(respondent === undefined ? {} : { respondentId: respondent }),
    ...(email === undefined ? {} : { email }),
    ...(survey === undefined ? {} : { surveySlug: survey }),
  };
}

/** `afterword export`: streams stored responses, one JSON object per line. They hold personal data. */
export async function exportRows(flags: Flags, shell: Shell): Promise<ExitCode> {
  const client = makeClient(flags, await readConfigFile(flags.config, shell), shell);
  const rows = client.privacy.export(selectorsOf(flags), { signal: shell.interrupted });
  for await (const row of rows) await writeJson(shell, row);
  shell.writeError(`exported ${rows.summary?.count} responses of ${rows.summary?.exportedAt}\n`);
  return exitCodes.done;
}
