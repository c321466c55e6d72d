/**
 * Why a request was shed. `requests` and `body-bytes`: too much is in flight. `unfinished`: this client has too many
 * requests with incomplete bodies.
 */
export type ShedReason = "requests" | "body-bytes" | "unfinished";

/** The request was shed: 429 if its client is the cause, otherwise 503 (decision O71). */
export class Overloaded extends Error {
  readonly reason: ShedReason;

  constructor(reason: ShedReason) {
    super(`The request was shed: ${reason}`);
    this.name = "Overloaded";
    this.reason = reason;
  }
}
