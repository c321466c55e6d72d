import { AssertionError, deepEqual, equal } from "node:assert/strict";
import { type Reply } from "../service/api-client.ts";

/** The reply has a status. */
export function expectStatus(reply: Reply, status: number, what = ""): void {
  if (reply.status === status) return;
  const code = reply.json?.code === undefined ? "" : ` ${String(reply.json.code)}`;
  const about = what && ` (${what})`;
  throw new AssertionError({
    message: `${reply.request}${about} replied ${reply.status}${code}, expected ${status}`,
  });
}

/** The reply is a refusal with a status and a code. */
export function expectRefusal(reply: Reply, status: number, code: string, what = ""): void {
  expectStatus(reply, status, what);
  equal(
    reply.json?.code,
    code,
    `${reply.request}${what && ` (${what})`} replied code ${String(reply.json?.code)}, expected ${code}`,
  );
}

/** Two lists of texts have the same members. */
export function expectMembers(actual: Iterable<string>, expected: Iterable<string>, what: string): void {
  deepEqual(
    [...actual].toSorted(),
    [...expected].toSorted(),
    `${what}: ${[...actual].join(", ") || "none"}, expected ${[...expected].join(", ") || "none"}`,
  );
}

/** The longest identifier that begins with a text: 256 characters. */
export const padded = (start: string, filler: string): string =>
  [...start, ...Array<string>(256).fill(filler)].slice(0, 256).join("");

/** The ids of rows. */
export const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

/** A time of the contract: RFC 3339, UTC, with milliseconds. */
export const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The rows that belong to these ids, in their order. */
export const among = (rows: { id: string }[], ids: readonly string[]): string[] =>
  idsOf(rows).filter((id) => ids.includes(id));
