import { describe, expect, it } from "vitest";
import { nameUuid } from "./name-uuid.ts";

describe("a UUID for an id", () => {
  it("is the id itself when it is one", () => {
    expect(nameUuid("019AA000-0000-7000-8000-000000000001")).toBe("019aa000-0000-7000-8000-000000000001");
  });

  it("is a version 5 UUID of it otherwise, and stays the same for ever", () => {
    expect(nameUuid("response-1")).toBe("b2ed27a1-3b42-534e-9321-76b547fde0a0");
    expect(nameUuid("response-1")).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(nameUuid("response-2")).not.toBe(nameUuid("response-1"));
  });
});
