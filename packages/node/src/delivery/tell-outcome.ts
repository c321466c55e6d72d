import type { Logger } from "../options/logger.ts";
import type { DeliverableScore, Outcome } from "../scores/sink.ts";

type Listener = (score: DeliverableScore, outcome: Outcome) => unknown;

/** A listener whose failures, at once or later, are logged: they must not end the delivery of other rows. */
export function tellOutcome(listener: Listener, logger: Logger): Listener {
  // Without the message, which may quote the score.
  const failed = (error: unknown) =>
    logger.warn(
      `onOutcome failed: ${error instanceof Error ? error.name : "something that is not an error"}`,
    );
  return (score, outcome) => {
    try {
      const told = listener(score, outcome);
      if (told instanceof Promise) told.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
