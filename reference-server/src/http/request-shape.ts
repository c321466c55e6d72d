import type * as z from "zod";
import { type Endpoint, type ProblemCode } from "@afterword/protocol";
import { Refusal } from "../domain/refusal.ts";
import { noFields } from "./request-query.ts";

const escaped = (part: PropertyKey) => String(part).replaceAll("~", "~0").replaceAll("/", "~1");

/** Names of fields are the caller's own in traits and unknown selectors, so no longer path than three steps is told. */
const pointerOf = (path: readonly PropertyKey[]) =>
  path
    .slice(0, 3)
    .map((part) => `/${escaped(part)}`)
    .join("");

const mostErrors = 20;

function errorsOf(issues: readonly z.core.$ZodIssue[], start: string) {
  return issues.slice(0, mostErrors).map(({ path, code }) => ({ pointer: start + pointerOf(path), code }));
}

function detailOf(issues: readonly z.core.$ZodIssue[]): string {
  const [first] = issues;
  if (!first) return "The request is not valid.";
  if (first.code === "unrecognized_keys") return "A field of the query is not known here.";
  return `${pointerOf(first.path) || "The value"}: ${first.message}.`;
}

/** A key that is there but empty is as good as none (decision D31). */
const isAboutKeyAlone = (issues: readonly z.core.$ZodIssue[]) =>
  issues.length > 0 && issues.every(({ path }) => path.length === 1 && path[0] === "key");

function refusalOf(issues: readonly z.core.$ZodIssue[], code: ProblemCode, start: string): Refusal {
  const details = { detail: detailOf(issues), errors: errorsOf(issues, start) };
  return new Refusal(isAboutKeyAlone(issues) ? "missing_key" : code, details);
}

/** What each endpoint makes of no query at all, which is nearly every request's. */
const emptyQueries = new WeakMap<Endpoint, unknown>();

function shapeOfNoQuery(endpoint: Endpoint): unknown {
  if (!emptyQueries.has(endpoint)) {
    const { data } = endpoint.query.safeParse({});
    emptyQueries.set(endpoint, data && Object.freeze(data));
  }
  return emptyQueries.get(endpoint);
}

/** @throws Refusal 400 */
export function shapeOfQuery(endpoint: Endpoint, fields: Readonly<Record<string, string>>): unknown {
  const unasked = fields === noFields ? shapeOfNoQuery(endpoint) : undefined;
  if (unasked !== undefined) return unasked;
  const parsed = endpoint.query.safeParse(fields);
  if (parsed.success) return parsed.data;
  throw refusalOf(parsed.error.issues, endpoint.invalidQuery ?? "invalid_query", "#");
}

/** An absent body stands for `{}` where the endpoint says so, a `null` never does (decision D55). @throws Refusal 400 */
export function shapeOfBody(endpoint: Endpoint, value: unknown): unknown {
  const { body, bodyOptional, invalidBody = "invalid_body" } = endpoint;
  if (!body) return undefined;
  if (value === undefined && !bodyOptional) {
    throw new Refusal(invalidBody, { detail: "Send a JSON object as the body." });
  }
  const parsed = body.safeParse(value === undefined ? {} : value);
  if (parsed.success) return parsed.data;
  throw refusalOf(parsed.error.issues, invalidBody, "");
}
