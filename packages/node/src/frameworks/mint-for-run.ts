import type { HandedOverRun } from "@afterword/protocol";
import { AfterwordError, TimeoutError } from "../errors/afterword-error.ts";
import { whenAborted } from "../options/when-aborted.ts";

/** How long minting may take once a run has ended: its stream may stay open for that long. */
const mintTimeoutInMs = 2000;

/** Rejects with a `TimeoutError` when a mint has not settled in time, even if it ignores the signal. */
export function inTime<Reply>(
  mint: (signal: AbortSignal) => Promise<Reply>,
  timeoutInMs: number = mintTimeoutInMs,
): Promise<Reply> {
  const signal = AbortSignal.timeout(timeoutInMs);
  const late = whenAborted(signal).then(() => {
    throw new TimeoutError(`minting after a run: no reply within ${timeoutInMs} ms`);
  });
  return Promise.race([mint(signal), late]);
}

/** What a page gets of a mint: nothing that only the server needs to know. */
export const handedOver = ({ tokens, sessionId, observationId, taskType }: HandedOverRun): HandedOverRun => ({
  tokens,
  sessionId,
  observationId,
  taskType,
});

/** Reports why nothing was minted: to the host's `onError`, else as a warning on the console. Never throws. */
export function reportProblem(problem: unknown, { onError }: { onError?: (error: Error) => void }): void {
  const error = problem instanceof Error ? problem : new Error(String(problem));
  try {
    if (onError) onError(error);
    // An error of the host's own code may quote personal data; the package's own never do.
    else if (AfterwordError.isInstance(error)) console.warn(`@afterword/node: ${error.message}`);
    else console.warn(`@afterword/node: nothing was minted: ${error.name}. onError gets the error.`);
  } catch {
    // Reporting is the host's own code: it must not break the run.
  }
}
