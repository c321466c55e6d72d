/** Runs an action and reports what it throws, which must never reach the host page. */
export function guard(reportError: (error: unknown) => void, action: () => void): void {
  try {
    action();
  } catch (error) {
    reportError(error);
  }
}
