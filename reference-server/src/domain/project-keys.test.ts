import { describe, expect, it } from "vitest";
import { type KeyRecord } from "../store/project.ts";
import { isUsableKey } from "./project-directory.ts";

const now = 1_000_000;
const key = { id: "key_1", projectId: "shop", kind: "secret" } as KeyRecord;

describe("a key", () => {
  it("is good while it is neither revoked nor expired", () => {
    expect(isUsableKey(key, now)).toBe(true);
    expect(isUsableKey({ ...key, expiresAt: now + 1 }, now)).toBe(true);
  });

  it("is refused from the very millisecond at which it expires", () => {
    expect(isUsableKey({ ...key, expiresAt: now }, now)).toBe(false);
  });

  it("is refused once it is revoked, whenever it would have expired", () => {
    expect(isUsableKey({ ...key, revokedAt: now + 5, expiresAt: now + 10 }, now)).toBe(false);
  });
});
