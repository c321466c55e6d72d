/**
 * All problems that the service answers with. The `code` is part of the contract, the texts are not
 * (contract section 7). Plain data without zod, so that browsers can import it.
 */
export const problems = {
  invalid_body: { status: 400, title: "The body is not valid" },
  invalid_query: { status: 400, title: "The query is not valid" },
  missing_key: { status: 400, title: "The publishable key is missing" },
  rating_out_of_range: { status: 400, title: "The rating is outside the survey's scale" },
  invalid_cursor: { status: 400, title: "The cursor does not belong to this queue" },
  invalid_selectors: { status: 400, title: "The selectors are not valid" },
  invalid_ack: { status: 400, title: "The acknowledgement is not valid" },
  invalid_key: { status: 401, title: "The key is not valid" },
  secret_key_required: { status: 401, title: "A valid secret key is required" },
  scope_required: { status: 401, title: "The secret key is limited to other endpoints" },
  token_invalid: { status: 401, title: "The show-token is not valid" },
  token_expired: { status: 401, title: "The show-token has expired" },
  token_session_mismatch: { status: 401, title: "The show-token attests another session" },
  origin_not_allowed: { status: 403, title: "The origin is not allowed" },
  survey_not_found: { status: 404, title: "The survey does not exist" },
  route_not_found: { status: 404, title: "The path does not exist" },
  method_not_allowed: { status: 405, title: "The path does not support this method" },
  token_used: { status: 409, title: "The show-token has already been used" },
  payload_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The media type is not supported" },
  rate_limited: { status: 429, title: "Too many requests" },
  internal_error: { status: 500, title: "Internal server error" },
  unavailable: { status: 503, title: "The server is temporarily unavailable" },
} as const satisfies Record<string, ProblemDefinition>;

/** The status and title of a problem code. */
export interface ProblemDefinition {
  /** The HTTP status it is usually sent with. A used token is 409 on submit and 401 on dismissal. */
  readonly status: number;
  readonly title: string;
}

/** A stable, machine-readable reason: the `code` of a problem document. */
export type ProblemCode = keyof typeof problems;

/** The `type` of a rate-limit problem, from IANA's registry of HTTP problem types; all others are `about:blank`. */
export const quotaExceededType = "https://iana.org/assignments/http-problem-types#quota-exceeded";
