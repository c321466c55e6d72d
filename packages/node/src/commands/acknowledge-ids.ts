import { failureReason } from "@afterword/protocol/failure-reason";
import { limits } from "@afterword/protocol/limits";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { type Invocation, makeClient } from "./command-options.ts";
import type { Flags } from "./flags.ts";
import { writeJson } from "./shell.ts";

/** `afterword ack`: marks ids as delivered or failed; without ids it reads them from standard input, one per line. */
export async function acknowledgeIds(call: Invocation): Promise<ExitCode> {
  const { flags, given, shell } = call;
  const { state } = flags;
  if (state !== "delivered" && state !== "failed") {
    throw new ConfigurationError("ack needs --state delivered or --state failed.");
  }
  const reason = reasonOf(flags);
  const client = makeClient(call);
  const ids = given.length > 0 ? given : wordsOf(await shell.readInput());
  if (ids.length === 0) throw new ConfigurationError("ack needs ids, as arguments or on standard input.");
  const results = ids.map((id) => ({ id, state, reason }) as const);
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

/** Not shortened without a word: who types a reason can choose a shorter one. */
function reasonOf({ state, reason }: Flags): string | undefined {
  if (reason === undefined) return undefined;
  if (state !== "failed")
    throw new ConfigurationError("--reason says why scores failed: pass it with --state failed.");
  if (failureReason(reason) === reason) return reason;
  const length = [...reason].length;
  throw new ConfigurationError(
    `--reason needs 1 to ${limits.reason} characters without line breaks or other control characters, and without ` +
      `spaces around them; this one has ${length}.`,
  );
}

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);
