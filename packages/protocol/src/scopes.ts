/**
 * What a secret key may be limited to: minting, the queue of scores, or the privacy routes (contract section 5). Plain data
 * without zod.
 */
export const scopes = ["mint", "scores", "privacy"] as const;

/** One of `scopes`. */
export type Scope = (typeof scopes)[number];
