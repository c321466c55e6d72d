import { isUtf8 } from "node:buffer";
import type * as z from "zod";
import { type Endpoint, type ProblemCode } from "@afterword/protocol";
import { type FoundKey } from "../domain/project-directory.ts";
import { Refusal } from "../domain/refusal.ts";
import { type Permit } from "../limits/load.ts";
import { Overloaded } from "../limits/overloaded.ts";
import { authorisePage, authoriseServer } from "./authorise.ts";
import { type RequestContext } from "./request-context.ts";
import { parseQuery } from "./request-query.ts";

const unsupported = (detail: string) => new Refusal("unsupported_media_type", { detail });

/** sendBeacon can only send text/plain without asking first, and agents may send nothing (decision D48). */
const acceptedTypes = /^(application\/json|[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+\+json|text\/plain)$/;

/** @throws Refusal 415 */
function checkMediaType(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentEncoding && contentEncoding.trim().toLowerCase() !== "identity") {
    throw unsupported("Send the body without a content encoding.");
  }
  if (!contentType || contentType === "application/json") return;
  const [type = "", ...parameters] = contentType
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  if (!acceptedTypes.test(type)) throw unsupported("Send the body as application/json.");
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) throw unsupported("Send the body in UTF-8.");
}

/** What one body may be. */
interface BodyRules {
  /** In bytes. */
  limit: number;
  /** Of the problem when it is cut short. */
  code: ProblemCode;
  /** Counts its bytes as they arrive. */
  permit: Permit;
}

const tooLarge = (limit: number) =>
  new Refusal("payload_too_large", { detail: `Send a body of at most ${limit} bytes.` });

/** @throws Refusal 413, or 400 when the body is cut short; Overloaded */
async function readBody(context: RequestContext, { limit, code, permit }: BodyRules): Promise<Buffer> {
  if (Number(context.header("content-length") ?? 0) > limit) throw tooLarge(limit);
  if (!(await context.isBodyComplete())) permit.awaitBody(context.address);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of context.body) {
      length += chunk.length;
      if (length > limit) throw tooLarge(limit);
      permit.hold(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    if (Refusal.isInstance(error) || Overloaded.isInstance(error)) throw error;
    throw new Refusal(code, { detail: "The body ended before it was complete." });
  }
  return Buffer.concat(chunks);
}

const noBytes = Buffer.alloc(0);
const byteOrderMark = "\ufeff";

/** The JSON value of a body; `undefined` when it is empty. A byte order mark is passed over (decision D53). */
function parseJson(bytes: Buffer, code: ProblemCode): unknown {
  if (bytes.length === 0) return undefined;
  // A byte that is not UTF-8 must not become a replacement character in silence (decision D54).
  if (!isUtf8(bytes)) throw new Refusal(code, { detail: "The body is not valid UTF-8." });
  const text = bytes.toString("utf8");
  try {
    return JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  } catch {
    throw new Refusal(code, { detail: "The body is not valid JSON." });
  }
}

const escaped = (part: PropertyKey) => String(part).replaceAll("~", "~0").replaceAll("/", "~1");

/** At most three steps: field names in traits and unknown selectors are the caller's own. */
const pointerOf = (path: readonly PropertyKey[]) =>
  path
    .slice(0, 3)
    .map((part) => `/${escaped(part)}`)
    .join("");

const mostErrors = 20;

function detailOf([first]: readonly z.core.$ZodIssue[]): string {
  if (!first) return "The request is not valid.";
  if (first.code === "unrecognized_keys") return "A field of the query is not known here.";
  return `${pointerOf(first.path) || "The value"}: ${first.message}.`;
}

/** An empty key counts as a missing one (decision D31). */
const isAboutKeyAlone = (issues: readonly z.core.$ZodIssue[]) =>
  issues.length > 0 && issues.every(({ path }) => path.length === 1 && path[0] === "key");

/** The value as a schema reads it. @param start of each pointer to an error @throws Refusal 400 */
function conform(schema: z.ZodType, value: unknown, code: ProblemCode, start: string): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const { issues } = error;
  const errors = issues
    .slice(0, mostErrors)
    .map((issue) => ({ pointer: start + pointerOf(issue.path), code: issue.code }));
  throw new Refusal(isAboutKeyAlone(issues) ? "missing_key" : code, { detail: detailOf(issues), errors });
}

/** An absent body stands for `{}` where the endpoint says so, a `null` never does (decision D55). */
function bodyOf(context: RequestContext, endpoint: Endpoint, bytes: Buffer): unknown {
  const { body: schema, bodyOptional, invalidBody: code = "invalid_body" } = endpoint;
  if (!schema) return undefined;
  if (bytes.length > 0) {
    checkMediaType(context.header("content-type"), context.header("content-encoding"));
  }
  const value = parseJson(bytes, code);
  if (value === undefined && !bodyOptional) {
    throw new Refusal(code, { detail: "Send a JSON object as the body." });
  }
  return conform(schema, value === undefined ? {} : value, code, "");
}

function queryOf({ search }: RequestContext, endpoint: Endpoint): unknown {
  const { query: schema, invalidQuery: code = "invalid_query" } = endpoint;
  const known = (schema as { shape?: object }).shape ?? {};
  const fields = search === "" ? {} : parseQuery(search, (name) => Object.hasOwn(known, name), code);
  return conform(schema, fields, code, "#");
}

const keyOf = (value: unknown) => (value as { key?: string } | undefined)?.key;

/** The key of a public route, which may stand in the body, in the query or in both. @throws Refusal 400 */
function keyIn(query: unknown, body: unknown): string | undefined {
  const [inQuery, inBody] = [keyOf(query), keyOf(body)];
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw new Refusal("invalid_body", {
      detail: "The query and the body have different keys.",
      errors: [{ pointer: "/key", code: "differs_from_query" }],
    });
  }
  return inBody ?? inQuery;
}

/** A request that may go to its handler. */
export interface Admitted {
  found: FoundKey;
  query: unknown;
  body: unknown;
}

/**
 * Authorises and parses, in the order that decision D19 fixes. Secret routes check the key before anything else, and so
 * tell nothing to a caller without it. @throws Refusal, RateLimited or Overloaded; nothing was changed by then
 */
export async function admit(context: RequestContext, endpoint: Endpoint, permit: Permit): Promise<Admitted> {
  const server = endpoint.auth === "secret" ? authoriseServer(context, endpoint) : undefined;
  const { bodyLimit: limit = 0, invalidBody: code = "invalid_body" } = endpoint;
  const bytes = endpoint.body ? await readBody(context, { limit, code, permit }) : noBytes;
  // Only now: a body that never arrives must not hold a slot (decision O71).
  permit.enter();
  const body = bodyOf(context, endpoint, bytes);
  const query = queryOf(context, endpoint);
  return { found: server ?? authorisePage(context, endpoint, keyIn(query, body)), query, body };
}
