import { isHTTPError, type Options } from "ky";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import { checkedWholeNumber } from "../options/checked-whole-number.ts";

/** The longest Retry-After that is honoured, in milliseconds; a server that asks for more is called again after this. */
const longestRetryAfterInMs = 60_000;
const longestBackoffInMs = 8000;
const firstBackoffInMs = 500;

const retryableStatuses = Array.from({ length: 200 }, (_, index) => 400 + index).filter(isRetryableStatus);

// Every call of the contract may be sent twice: a mint returns another token, acknowledging and erasing are
// idempotent, a used show-token gets 409, a repeated dismissal its first result (decisions D9, D10 and D90).
const retriedMethods = ["get", "post", "delete"];

/** Retries connection failures, timeouts, 408, 425, 429 and 5xx. */
export function retryPolicy(maxRetries: number, random: () => number): Options["retry"] {
  return {
    limit: checkedWholeNumber("maxRetries", maxRetries, 0),
    methods: retriedMethods,
    statusCodes: retryableStatuses,
    afterStatusCodes: retryableStatuses,
    maxRetryAfter: longestRetryAfterInMs,
    backoffLimit: longestBackoffInMs,
    delay: (attempt) => firstBackoffInMs * 2 ** (attempt - 1),
    jitter: (delayInMs) => delayInMs * (0.75 + random() * 0.25),
    retryOnTimeout: true,
    // ky does not recognise the network failures of every runtime by name, so anything but a reply is retried.
    shouldRetry: ({ error }) => (isHTTPError(error) ? undefined : true),
  };
}
