/** Runs an action and reports its errors, which must never reach the host page. */
export function guard(reportError: (error: unknown) => void, action: () => void): void {
  try {
    action();
  } catch (error) {
    reportError(error);
  }
}
