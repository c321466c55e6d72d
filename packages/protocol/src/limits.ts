/** Most characters of an answer's text, counted in code points. A constant of its own: bundlers inline it. */
export const textLength = 10_000;

/** Largest sizes that the wire takes (contract sections 4.2, 4.5, 4.6 and 4.10). Plain data without zod, for the SDKs. */
export const limits = {
  textLength,
  /** Scores in one page of the queue. */
  pageSize: 100,
  /** Seconds that a listed score can be kept from other consumers of the queue. */
  leaseInSeconds: 300,
  /** Characters of a consumer's id. */
  consumer: 64,
  /** Characters of the reason of a failed score. */
  reason: 80,
  /** Results in one acknowledgement. */
  results: 200,
  /** Show-tokens in one check. */
  checkedTokens: 100,
} as const;

/** The bounds of a run's facts: they travel inside the token, which has to fit into a link. */
export const factLimits = { facts: 16, nameLength: 64, textLength: 64, bytes: 512 } as const;
