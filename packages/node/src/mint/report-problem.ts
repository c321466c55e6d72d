import { AfterwordError } from "../errors/afterword-error.ts";

/** What reporting needs from the runtime. */
export interface ProblemScope {
  console: Pick<Console, "warn">;
}

/** Reports why nothing was minted: to the host's `onError`, else as a warning on the console. Never throws. */
export function reportProblem(
  problem: unknown,
  { onError }: { onError?: (error: Error) => void },
  scope: ProblemScope,
): void {
  const error = problem instanceof Error ? problem : new Error(String(problem));
  try {
    if (onError) onError(error);
    // An error of the host's own code may quote personal data; the package's own never do.
    else if (AfterwordError.isInstance(error)) scope.console.warn(`@afterword/node: ${error.message}`);
    else scope.console.warn(`@afterword/node: nothing was minted: ${error.name}. onError gets the error.`);
  } catch {
    // Reporting is the host's own code: it must not break the run.
  }
}
