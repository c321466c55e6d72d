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
  ["stored", 409, undefined],
  ["stored", 409, {}],
  ["stored", 409, existing("response")],
  ["stored", 409, existing("response", true)],
  ["refused", 400, {}],
  ["refused", 401, { code: "token_expired" }],
  ["queued", 401, undefined],
  ["queued", 403, undefined],
  ["queued", 404, undefined],
  ["queued", 405, undefined],
] as const)("%s: %i with %j", (result, status, body) => {
  expect(outcomeOf({ status, body })).toBe(result);
});
