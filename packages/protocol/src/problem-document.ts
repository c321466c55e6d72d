import * as z from "zod";
import { problems, type ProblemCode } from "./problems.ts";

/** The body of every refusal: RFC 9457 `application/problem+json`. */
export interface ProblemDocument {
  "type": string;
  "title": string;
  "status": number;
  /** What to do, for people. Never contains the offending value. */
  "detail"?: string;
  /** The request id. */
  "instance"?: string;
  "code": ProblemCode;
  /** Where the request is wrong: a JSON pointer into the body, or `#` and the name of a query field. */
  "errors"?: { pointer: string; code: string }[];
  /** With `token_used`: the record that used the token. */
  "existing"?: {
    id: string;
    at: string;
    kind: "response" | "dismissal";
    /**
     * An extension: whether rating and text of the stored response equal those of the request. Absent from servers that do
     * not say, and after a day or three replies: otherwise a stored rating could be found by trying (decision D120).
     */
    isSame?: boolean;
  };
  /** With `rate_limited`: the names of the policies that were exceeded. */
  "violated-policies"?: string[];
}

export const problemCode = z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]);

export const problemDocument = z.object({
  "type": z.string(),
  "title": z.string(),
  "status": z.int(),
  "detail": z.string().optional(),
  "instance": z.string().optional(),
  "code": problemCode,
  "errors": z.array(z.object({ pointer: z.string(), code: z.string() })).optional(),
  "existing": z
    .object({
      id: z.string(),
      at: z.iso.datetime(),
      kind: z.enum(["response", "dismissal"]),
      isSame: z.boolean().optional(),
    })
    .optional(),
  "violated-policies": z.array(z.string()).optional(),
});
