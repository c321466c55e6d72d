import { describe, expect, it } from "vitest";
import { traitLimits, traits } from "./traits.ts";

const accepts = (value: unknown) => traits.safeParse(value).success;

function nested(levels: number): unknown {
  let value: unknown = "leaf";
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

describe("traits", () => {
  it.each([
    ["an array", []],
    ["null", null],
    ["a string", "plan"],
    ["a number", 1],
  ])("refuse %s", (_, value) => expect(accepts(value)).toBe(false));

  it("have at most 100 keys", () => {
    const withKeys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
    expect(accepts(withKeys(100))).toBe(true);
    expect(accepts(withKeys(101))).toBe(false);
  });

  it("are nested at most 8 levels", () => {
    expect(accepts(nested(traitLimits.depth))).toBe(true);
    expect(accepts(nested(traitLimits.depth + 1))).toBe(false);
  });

  it("are refused, without a crash, when nested a hundred thousand levels deep", () => {
    const bomb: unknown = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    expect(accepts(bomb)).toBe(false);
  });

  it("have at most 32 KiB as JSON, counted in UTF-8", () => {
    const overhead = JSON.stringify({ k: "" }).length;
    expect(accepts({ k: "x".repeat(traitLimits.bytes - overhead) })).toBe(true);
    expect(accepts({ k: "é".repeat(traitLimits.bytes / 2) })).toBe(false);
  });

  it("lose prototype keys at every level and pollute nothing", () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"bad":1},"a":{"constructor":{"prototype":{"bad":1}},"prototype":1,"keep":[{"__proto__":1,"x":2}]}}',
    );
    expect(traits.parse(hostile)).toEqual({ a: { keep: [{ x: 2 }] } });
    expect(({} as Record<string, unknown>)["bad"]).toBeUndefined();
  });

  it("have bad characters replaced in keys and values", () => {
    expect(traits.parse({ "a\u0000": ["\ud800"] })).toEqual({ "a\ufffd": ["\ufffd"] });
  });
});
