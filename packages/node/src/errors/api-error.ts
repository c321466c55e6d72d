import type { ProblemDocument } from "@afterword/protocol";
import { problems } from "@afterword/protocol/problems";
import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import { AfterwordError } from "./afterword-error.ts";

/** The details of a refusal. */
export interface ApiErrorDetails {
  /** `POST` and the like. */
  method: string;
  /** Path without the base URL and without the query, which may hold personal data. */
  path: string;
  status: number;
  /** The request id, from the header or the body of the response. */
  requestId?: string;
  /** How long the service asks to wait, in milliseconds. */
  retryAfterInMs?: number;
  /** The parsed body, whatever it is: another server may send another shape. */
  body?: unknown;
}

function isProblem(body: unknown): body is ProblemDocument {
  if (typeof body !== "object" || body === null || !("code" in body)) return false;
  return typeof body.code === "string" && Object.hasOwn(problems, body.code);
}

/** Quotes the body only if its code is known: another server's body may repeat what a person wrote. */
function messageOf({ method, path, status, requestId, body }: ApiErrorDetails): string {
  const parts = [`${method} ${path} was refused with status ${status}`];
  if (isProblem(body)) {
    const detail = body.detail ?? problems[body.code].title;
    const pointers = new Set((body.errors ?? []).map(({ pointer }) => pointer));
    const unnamed = [...pointers].filter((pointer) => !detail.includes(pointer)).join(", ");
    parts.push(`: ${body.code}, ${detail}${unnamed && ` (${unnamed})`}`);
  }
  if (requestId) parts.push(` [request id ${requestId}]`);
  return parts.join("");
}

/** The service has answered, and refused. */
export class ApiError extends AfterwordError {
  protected static override readonly kind = "ApiError";
  override readonly retryable: boolean;
  /** HTTP status. */
  readonly status: number;
  /** The stable code of the refusal, for example `rate_limited`; `undefined` from a server that sends none. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly retryAfterInMs: number | undefined;
  /** Whether the body is a JSON object, as that of each refusal of the service is. A proxy's is usually a page. */
  readonly isFromService: boolean;
  /** The body of the reply as a problem document, if it is one. */
  readonly problem: ProblemDocument | undefined;

  constructor(details: ApiErrorDetails) {
    super(messageOf(details));
    this.status = details.status;
    this.isFromService = typeof details.body === "object" && details.body !== null;
    this.problem = isProblem(details.body) ? details.body : undefined;
    this.code = this.problem?.code;
    this.requestId = details.requestId;
    this.method = details.method;
    this.path = details.path;
    this.retryAfterInMs = details.retryAfterInMs;
    this.retryable = isRetryableStatus(details.status);
  }
}

/** Whether the service refuses the key, which no retry can help. */
export const isRefusedKey = (error: unknown): boolean =>
  ApiError.isInstance(error) && (error.status === 401 || error.status === 403);
