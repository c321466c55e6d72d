import { isUtf8 } from "node:buffer";
import { MIMEType } from "node:util";
import type * as z from "zod";
import { type Endpoint, type ProblemCode } from "@afterword/protocol";
import { agreedOn, Refusal } from "../domain/refusal.ts";
import { authorisePage, authoriseServer } from "./authorise.ts";
import { type Permit, type RequestContext } from "./request-context.ts";

const unsupported = (detail: string) => new Refusal("unsupported_media_type", { detail });

/** What a function returns, or `undefined` if it throws. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** sendBeacon sends only text/plain without a preflight, and agents may send no type. @throws Refusal 415 */
function checkMediaType(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentEncoding && contentEncoding.trim().toLowerCase() !== "identity") {
    throw unsupported("Send the body without a content encoding.");
  }
  if (!contentType || contentType === "application/json") return;
  const type = attempt(() => new MIMEType(contentType));
  const isAccepted =
    type && (/^(application\/json|text\/plain)$/.test(type.essence) || type.subtype.endsWith("+json"));
  if (!isAccepted) throw unsupported("Send the body as application/json.");
  if (!/^utf-?8$/i.test(type.params.get("charset") ?? "utf-8")) throw unsupported("Send the body in UTF-8.");
}

const tooLarge = (limit: number) =>
  new Refusal("payload_too_large", { detail: `Send a body of at most ${limit} bytes.` });

/** @throws Refusal 413, or 400 for an incomplete body, or what sheds the request */
async function readBody(context: RequestContext, endpoint: Endpoint, permit?: Permit): Promise<Buffer> {
  const { bodyLimit: limit = 0, invalidBody: code = "invalid_body" } = endpoint;
  if (Number(context.header("content-length") ?? 0) > limit) throw tooLarge(limit);
  if (permit && !(await context.isBodyComplete())) permit.awaitBody(context.address);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of context.body) {
      length += chunk.length;
      if (length > limit) throw tooLarge(limit);
      permit?.hold(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(code, { detail: "The body ended before it was complete." });
  }
  return Buffer.concat(chunks);
}

const noBytes = Buffer.alloc(0);
const byteOrderMark = "\ufeff";

/** The JSON value of a body; `undefined` if it is empty. Skips a byte order mark. */
function parseJson(bytes: Buffer, code: ProblemCode): unknown {
  if (bytes.length === 0) return undefined;
  // Invalid UTF-8 must not silently become replacement characters.
  if (!isUtf8(bytes)) throw new Refusal(code, { detail: "The body is not valid UTF-8." });
  const text = bytes.toString("utf8");
  const value: unknown = attempt(() => JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text));
  if (value === undefined) throw new Refusal(code, { detail: "The body is not valid JSON." });
  return value;
}

const escaped = (part: PropertyKey) => String(part).replaceAll("~", "~0").replaceAll("/", "~1");

/** At most three levels: deeper names, in traits, come from the caller. */
const pointerOf = (path: readonly PropertyKey[]) =>
  path
    .slice(0, 3)
    .map((part) => `/${escaped(part)}`)
    .join("");

const mostErrors = 20;

function detailOf([first]: readonly z.core.$ZodIssue[]): string {
  if (!first) return "The request is not valid.";
  if (first.code === "unrecognized_keys") return "The query has an unknown field.";
  return `${pointerOf(first.path) || "The value"}: ${first.message}.`;
}

/** An empty key counts as missing. */
const isAboutKeyAlone = (issues: readonly z.core.$ZodIssue[]) =>
  issues.length > 0 && issues.every(({ path }) => path.length === 1 && path[0] === "key");

/** Parses a value with a schema. @param start prefix of the pointers to errors @throws Refusal 400 */
function conform(schema: z.ZodType, value: unknown, code: ProblemCode, start: string): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const { issues } = error;
  const errors = issues
    .slice(0, mostErrors)
    .map((issue) => ({ pointer: start + pointerOf(issue.path), code: issue.code }));
  throw new Refusal(isAboutKeyAlone(issues) ? "missing_key" : code, { detail: detailOf(issues), errors });
}

/** An absent body stands for `{}` where the endpoint allows it; `null` never does (decision D55). */
function requestBody(context: RequestContext, endpoint: Endpoint, bytes: Buffer): unknown {
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

/** A known field must not appear twice, because picking one would be a guess. @throws Refusal 400 */
function queryOf({ request }: RequestContext, endpoint: Endpoint): unknown {
  const { query: schema, invalidQuery: code = "invalid_query" } = endpoint;
  const known = (schema as { shape?: object }).shape ?? {};
  const { search, searchParams: fields } = new URL(request.url);
  // The fields have replaced what is not UTF-8.
  if (attempt(() => decodeURIComponent(search)) === undefined)
    throw new Refusal(code, { detail: "The query is not valid percent-encoded UTF-8." });
  const repeated = Object.keys(known).find((name) => fields.getAll(name).length > 1);
  if (repeated !== undefined)
    throw new Refusal(code, {
      detail: "Send each field of the query once.",
      errors: [{ pointer: `#${repeated}`, code: "repeated" }],
    });
  // `fromEntries` makes even `__proto__` an ordinary field.
  return conform(schema, Object.fromEntries(fields), code, "#");
}

const keyOf = (value: unknown) => (value as { key?: string } | undefined)?.key;

/**
 * Authorises and parses a request: body, query, key, origin and quotas. Secret routes check key, scope and quotas first, so
 * that callers without it learn nothing (decision D19). Stores nothing. @throws Refusal
 */
export async function admit(context: RequestContext, endpoint: Endpoint, permit?: Permit) {
  const server = endpoint.auth === "secret" ? authoriseServer(context, endpoint) : undefined;
  const bytes = endpoint.body ? await readBody(context, endpoint, permit) : noBytes;
  // Only now, so that a body that never arrives holds no slot.
  permit?.enter();
  const body = requestBody(context, endpoint, bytes);
  const query = queryOf(context, endpoint);
  // A request that is not valid does not count as a use: `afterword doctor` sends some to find out what a key allows.
  if (server) context.event.use = endpoint.scope;
  const key = () => agreedOn("key", "keys", keyOf(query), keyOf(body));
  return { found: server ?? authorisePage(context, endpoint, key()), query, body };
}
