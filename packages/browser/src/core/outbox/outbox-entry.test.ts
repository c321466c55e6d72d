// @vitest-environment node
import { expect, it } from "vitest";
import { outcomeOf } from "./outbox-entry.ts";

const existing = (kind: string, isSame?: boolean) => ({
  code: "token_used",
  existing: { id: "r1", at: "", kind, isSame },
});

it.each([
  ["stored", 201, { ok: true, id: "r1", at: "2026-11-22T09:00:00.000Z" }],
  ["stored", 200, { ok: true, id: "r1", more: 1 }],
  ["queued", 200, { ok: true, id: 1 }],
  ["queued", 200, { ok: "true", id: "r1" }],
  ["queued", 201, { id: "r1" }],
  ["queued", 201, {}],
  ["queued", 200, undefined],
  ["queued", 204, undefined],
  ["queued", 0, undefined],
  ["queued", 300, { ok: true, id: "r1" }],
  ["queued", 302, {}],
  ["queued", 304, undefined],
  ["already", 409, undefined],
  ["already", 409, {}],
  ["already", 409, existing("response")],
  ["already", 409, existing("response", false)],
  ["stored", 409, existing("response", true)],
  ["refused", 409, existing("dismissal")],
  ["refused", 400, {}],
  ["refused", 401, { code: "token_expired" }],
  ["queued", 401, undefined],
  ["queued", 403, undefined],
  ["queued", 404, undefined],
  ["queued", 405, undefined],
] as const)("%s: %i with %j", (result, status, body) => {
  expect(outcomeOf({ status, body })).toBe(result);
});

it.each([
  ["stored", undefined],
  ["stored", {}],
  ["stored", existing("response")],
  ["stored", existing("response", true)],
  ["already", existing("response", false)],
  ["refused", existing("dismissal")],
] as const)("%s, if an earlier attempt may have arrived: 409 with %j", (result, body) => {
  expect(outcomeOf({ status: 409, body }, true)).toBe(result);
  expect(outcomeOf({ status: 409, body, isRepeated: true })).toBe(result);
});
