import { failureReason } from "@afterword/protocol/failure-reason";
import { limits } from "@afterword/protocol/limits";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { type Invocation, makeClient, writeResult } from "./command-options.ts";
import type { Flags } from "./flags.ts";

/** `afterword pending`: lists the queue. Plain lines leave out texts; JSON has whole scores. */
export async function pending(call: Invocation): Promise<void> {
  const { includeFailed, count: isCounted } = call.flags;
  let count = 0;
  for await (const score of makeClient(call).pendingScores({
    includeFailed,
    signal: call.shell.interrupted,
  })) {
    count += 1;
    const { id, at, surveyId, sessionId, rating } = score;
    const line = `${id} ${at} ${surveyId} ${sessionId ?? "-"} ${rating ?? "-"}`;
    if (!isCounted) await writeResult(call, score, line);
  }
  if (isCounted) await writeResult(call, { count }, `${count}`);
}

/** `afterword ack`: marks ids as delivered or failed; without ids it reads them from standard input, one per line. */
export async function acknowledgeIds(call: Invocation): Promise<void> {
  const { flags, given, shell } = call;
  const { state, dryRun = false } = flags;
  if (state !== "delivered" && state !== "failed")
    throw new ConfigurationError("ack needs --state delivered or --state failed.");
  const reason = reasonOf(flags);
  const client = makeClient(call);
  const ids = given.length > 0 ? given : (await shell.readInput()).split(/\s+/).filter(Boolean);
  if (ids.length === 0) throw new ConfigurationError("ack needs ids, as arguments or on standard input.");
  const results = ids.map((id) => ({ id, state, reason }) as const);
  const { updated } = dryRun ? { updated: 0 } : await client.ack(results, { signal: shell.interrupted });
  const line = `${dryRun ? "would mark" : "marked"} ${ids.length} as ${state}, updated ${updated}`;
  await writeResult(call, { ids: ids.length, updated, dryRun }, line);
}

/** Not shortened without a word: who types a reason can choose a shorter one. */
function reasonOf({ state, reason }: Flags): string | undefined {
  if (reason === undefined) return undefined;
  if (state !== "failed")
    throw new ConfigurationError("--reason says why scores failed: pass it with --state failed.");
  if (failureReason(reason) === reason) return reason;
  throw new ConfigurationError(
    `--reason needs 1 to ${limits.reason} characters without line breaks or other control characters, and without ` +
      `spaces around them; this one has ${[...reason].length}.`,
  );
}
