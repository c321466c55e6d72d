import { problems, type ProblemCode, type ProblemDocument } from "@afterword/protocol";
import { type ShedReason } from "../events.ts";

export interface RefusalDetails extends Pick<ProblemDocument, "detail" | "errors" | "existing"> {
  /** Differs from the table of problems for a used token, which is 401 on dismissal. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The names of the quotas that are used up. */
  violatedPolicies?: string[];
  /** Why load shedding refused the request. */
  shed?: ShedReason;
}

/** So soon may a request be repeated that the service could not answer now. */
export const retryAfterInSeconds = 2;

/** The request cannot be granted and nothing was changed; becomes a problem document. */
export class Refusal extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly details: RefusalDetails;

  constructor(code: ProblemCode, details: RefusalDetails = {}) {
    super(details.detail ?? problems[code].title);
    this.name = "Refusal";
    this.code = code;
    this.status = details.status ?? problems[code].status;
    this.details = details;
  }
}

/** A field that query and body may both have, with one value. @throws Refusal 400 */
export function agreedOn(field: string, values: string, inQuery?: string, inBody?: string) {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw new Refusal("invalid_body", {
      detail: `The query and the body contain different ${values}.`,
      errors: [{ pointer: `/${field}`, code: "differs_from_query" }],
    });
  }
  return inBody ?? inQuery;
}
