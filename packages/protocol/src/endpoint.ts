import type * as z from "zod";
import { type ProblemCode } from "./problems.ts";
import { type Scope } from "./scopes.ts";

/** Which key opens an endpoint: the publishable one (body or query) or the secret one (header). */
export type Auth = "publishable" | "secret";

/** The rate limit of an endpoint; `none` for the privacy routes, since a quota must not delay a person's rights. */
export type LimitName = "public" | "mint" | "pending" | "ack" | "none";

/** One row of the table of endpoints: everything about one method and path. */
export interface Endpoint {
  readonly operationId: string;
  readonly summary: string;
  /** What callers have to know beyond the schemas; shown in the reference. */
  readonly description?: string;
  readonly auth: Auth;
  /** What a secret key that is limited must be allowed; on secret endpoints alone. */
  readonly scope?: Scope;
  readonly limit: LimitName;
  readonly query: z.ZodType;
  /** The sets of query fields that are valid together, where not all are. */
  readonly queryCombinations?: readonly (readonly string[])[];
  /** Absent where the endpoint takes no body. */
  readonly body?: z.ZodType;
  /** An example body for the reference. */
  readonly bodyExample?: unknown;
  /** Whether an absent or empty body stands for `{}`. */
  readonly bodyOptional?: boolean;
  /** Largest body in bytes. The largest legal body fits, with each character escaped. */
  readonly bodyLimit?: number;
  /** Status of success. */
  readonly status: 200 | 201 | 202;
  readonly reply: z.ZodType;
  /** An example reply for the reference. */
  readonly replyExample: unknown;
  /** Code of a body of the wrong shape. Default `invalid_body`. */
  readonly invalidBody?: ProblemCode;
  /** Code of a query of the wrong shape. Default `invalid_query`. */
  readonly invalidQuery?: ProblemCode;
  /** Problems beyond those of every endpoint of its kind. */
  readonly problems: readonly ProblemCode[];
  /** The endpoint that this one is an internal alias of (contract section 4.9). */
  readonly aliasOf?: string;
}

type Field<E, K extends string> = E extends { readonly [P in K]: infer T } ? T : undefined;
type Input<T> = T extends z.ZodType ? z.input<T> : undefined;
type Output<T> = T extends z.ZodType ? z.output<T> : undefined;

/** What a client sends. */
export interface RequestOf<E extends Endpoint> {
  query?: Input<E["query"]>;
  body: Input<Field<E, "body">>;
}

/** What a handler receives, parsed. */
export interface ParsedRequestOf<E extends Endpoint> {
  query: Output<E["query"]>;
  body: Output<Field<E, "body">>;
}

/** What a client gets back on success. */
export type ReplyOf<E extends Endpoint> = z.output<E["reply"]>;

const problemsOfEvery: readonly ProblemCode[] = ["internal_error", "unavailable"];
const problemsOfBodies: readonly ProblemCode[] = ["payload_too_large", "unsupported_media_type"];
const problemsOfAuth: Readonly<Record<Auth, readonly ProblemCode[]>> = {
  publishable: ["missing_key", "invalid_key", "origin_not_allowed"],
  secret: ["secret_key_required", "scope_required"],
};

/** Every problem code that an endpoint may answer with, without duplicates. */
export function problemsOf(endpoint: Endpoint): ProblemCode[] {
  const all = [
    endpoint.invalidQuery ?? "invalid_query",
    ...problemsOfEvery,
    ...problemsOfAuth[endpoint.auth],
    ...(endpoint.body ? [...problemsOfBodies, endpoint.invalidBody ?? "invalid_body"] : []),
    ...(endpoint.limit === "none" ? [] : (["rate_limited"] as const)),
    ...endpoint.problems,
  ];
  return [...new Set(all)];
}

/** The method and the path of a key of the table. */
export function methodAndPath(key: string): { method: string; path: string } {
  const [method = "", path = ""] = key.split(" ");
  return { method, path };
}
