/** The reason that an operator can end, and that `/readyz` shows. */
export const diskFull = "the disk is full";

/** The database cannot answer now (busy, full, gone); nothing was stored. Becomes 503. */
export class StoreUnavailable extends Error {
  /** The message without its beginning. */
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`The database cannot answer now: ${reason}`, options);
    this.reason = reason;
    this.name = "StoreUnavailable";
  }
}
