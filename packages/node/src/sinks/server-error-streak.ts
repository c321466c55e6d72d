import { isRetryableStatus } from "@afterword/protocol/retryable-status";

/** At a random failure rate of one in ten, five failures in a row happen once in 100,000 requests. */
const faultsInARow = 5;

/** Statuses of a busy or absent service, or of the proxy before it, whatever the request was. */
const isBusyOrAway = (status: number) => isRetryableStatus(status) && status !== 500;

/**
 * Distinguishes a service that fails at one request from one that is down: a 500 concerns only its request
 * until five follow each other.
 */
export class ServerErrorStreak {
  #faults = 0;

  /** Records a reply. Returns whether the whole service should be left alone. */
  note(reply: { status: number; afterInMs?: number; isLookUp: boolean }): boolean {
    const { status, afterInMs, isLookUp } = reply;
    // A Retry-After concerns all requests.
    if (isBusyOrAway(status) || (status === 500 && afterInMs !== undefined)) return true;
    if (status === 500) this.#faults += 1;
    // A successful read says nothing about writes.
    else if (!isLookUp) this.#faults = 0;
    return status === 500 && this.#faults >= faultsInARow;
  }
}
