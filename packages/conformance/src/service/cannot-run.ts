/** A run cannot begin. The message is one line that says what to do. */
export class CannotRun extends Error {
  override name = "CannotRun";
}
