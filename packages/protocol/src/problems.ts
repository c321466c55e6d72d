/* * All problems that the service answers with. The `code` is part of the contract, the texts are not
 * (contract section 7, decisions D37 and D38). Plain data without zod, so that browsers can import it.
 */
export const problems = {
  invalid_body: { status: 400, title: "The body is not valid", retryable: false },
  invalid_query: { status: 400, title: "The query is not valid", retryable: false },
  missing_key: { status: 400, title: "The publishable key is missing", retryable: false },
  rating_out_of_range: { status: 400, title: "The rating is outside the survey's scale", retryable: false },
  invalid_cursor: { status: 400, title: "The cursor does not belong to this queue", retryable: false },
  invalid_selectors: { status: 400, title: "The selectors are not valid", retryable: false },
  invalid_ack: { status: 400, title: "The acknowledgement is not valid", retryable: false },
  invalid_key: { status: 401, title: "The key is not valid", retryable: false },
  secret_key_required: { status: 401, title: "A valid secret key is required", retryable: false },
  token_invalid: { status: 401, title: "The show-token is not valid", retryable: false },
  token_expired: { status: 401, title: "The show-token has expired", retryable: false },
  token_session_mismatch: { status: 401, title: "The show-token attests another session", retryable: false },
  origin_not_allowed: { status: 403, title: "The origin is not allowed", retryable: false },
  survey_not_found: { status: 404, title: "The survey does not exist", retryable: false },
  route_not_found: { status: 404, title: "The path does not exist", retryable: false },
  method_not_allowed: { status: 405, title: "The path does not support this method", retryable: false },
  token_used: { status: 409, title: "The show-token has already been used", retryable: false },
  payload_too_large: { status: 413, title: "The body is too large", retryable: false },
  unsupported_media_type: { status: 415, title: "The media type is not supported", retryable: false },
  rate_limited: { status: 429, title: "Too many requests", retryable: true },
  internal_error: { status: 500, title: "Internal server error", retryable: true },
  unavailable: { status: 503, title: "The server is temporarily unavailable", retryable: true },
} as const satisfies Record<string, ProblemDefinition>;

/** The status and title of a problem code. */
export interface ProblemDefinition {
  /** The HTTP status it is usually sent with. A used token is 409 on submit and 401 on dismissal (decision D8). */
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}

/** A stable, machine-readable reason: the `code` of a problem document. */
export type ProblemCode = keyof typeof problems;

/** The `type` of a rate-limit problem, from IANA's registry of HTTP problem types; all others are `about:blank`. */
export const quotaExceededType = "https://iana.org/assignments/http-problem-types#quota-exceeded";
