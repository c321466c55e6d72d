import { isRetryableStatus } from "../errors/api-error.ts";

/** One request in ten that fails at random is so often in a row once in a hundred thousand requests. */
const faultsInARow = 5;

/** What a service, or what stands before it, answers when it is busy or not there, whatever it was sent. */
const isBusyOrAway = (status: number) => isRetryableStatus(status) && status !== 500;

/**
 * Tells a service that stumbles over a request from one that is broken (decision O39): a 500 is a matter of its request
 * until several have followed each other.
 */
export class ServerErrorStreak {
  #faults = 0;

  /** Notes an answer. Whether it is a reason to leave the service in peace as a whole. */
  note(answer: { status: number; afterInMs?: number; isLookUp: boolean }): boolean {
    const { status, afterInMs, isLookUp } = answer;
    // A service that says when to come back speaks of all requests.
    if (isBusyOrAway(status) || (status === 500 && afterInMs !== undefined)) return true;
    if (status === 500) this.#faults += 1;
    // That it can be read says nothing about writing.
    else if (!isLookUp) this.#faults = 0;
    return status === 500 && this.#faults >= faultsInARow;
  }
}
