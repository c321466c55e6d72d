import { ConfigurationError } from "../errors/configuration-error.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { makeClient, readConfigFile, type ConnectionFlags } from "./settings.ts";
import { writeJson, type Shell } from "./shell.ts";

export interface AckFlags extends ConnectionFlags {
  state?: string;
  dryRun?: boolean;
}

/** `afterword ack`: marks ids as delivered or failed; without ids it reads them from standard input, one per line. */
export async function acknowledgeIds(given: string[], flags: AckFlags, shell: Shell): Promise<ExitCode> {
  const { state } = flags;
  if (state !== "delivered" && state !== "failed") {
    throw new ConfigurationError("ack needs --state delivered or --state failed.");
  }
  const client = makeClient(flags, await readConfigFile(flags.config, shell), shell);
  const ids = given.length > 0 ? given : wordsOf(await shell.readInput());
  if (ids.length === 0) throw new ConfigurationError("ack needs ids, as arguments or on standard input.");
  const results = ids.map((id) => ({ id, state }) as const);
  const { updated } = flags.dryRun
    ? { updated: 0 }
    : await client.ack(results, { signal: shell.interrupted });
  const report = { ids: ids.length, updated, dryRun: flags.dryRun ?? false };
  if (flags.json) writeJson(shell, report);
  else
    shell.writeOut(
      `${flags.dryRun ? "would mark" : "marked"} ${ids.length} as ${state}, updated ${updated}\n`,
    );
  return exitCodes.done;
}

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);
