import { describe, expect, it } from "vitest";
import { freeText, identifier, liveRespondentId } from "./strings.ts";

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe("identifiers", () => {
  it("are kept to the byte: spaces, case and composition stay", () => {
    for (const value of [" Ann ", "ANN", "e\u0301", "\u00e9"]) expect(identifier().parse(value)).toBe(value);
  });

  it("are counted in code points, not in UTF-16 units", () => {
    expect(accepts(identifier(3), "😀😀😀")).toBe(true);
    expect(accepts(identifier(3), "😀😀😀😀")).toBe(false);
  });

  it("have at most 1,024 code points where the contract sets no limit", () => {
    expect(accepts(identifier(), "x".repeat(1024))).toBe(true);
    expect(accepts(identifier(), "x".repeat(1025))).toBe(false);
  });

  it.each([
    ["nothing", ""],
    ["U+0000", "a\u0000b"],
    ["a line feed", "a\nb"],
    ["DEL", "a\u007f"],
    ["a C1 control", "a\u0085"],
    ["a lone surrogate", "a\ud800"],
    ["a number", 7],
    ["null", null],
  ])("refuse %s", (_, value) => expect(accepts(identifier(), value)).toBe(false));

  it("of live respondents must not begin with the prefix of imported ones", () => {
    expect(accepts(liveRespondentId(), "imp_abc")).toBe(false);
    expect(accepts(liveRespondentId(), "IMP_abc")).toBe(true);
    expect(accepts(liveRespondentId(), "ximp_abc")).toBe(true);
  });
});

describe("free text", () => {
  it("keeps its text when a character is bad: U+0000 and lone surrogates become U+FFFD", () => {
    expect(freeText(100).parse("a\u0000b\ud800c😀")).toBe("a\ufffdb\ufffdc😀");
  });

  it("is counted in code points", () => {
    expect(accepts(freeText(10_000), "😀".repeat(10_000))).toBe(true);
    expect(accepts(freeText(10_000), "😀".repeat(10_001))).toBe(false);
  });

  it("may be empty and may hold line breaks", () => {
    expect(freeText(10).parse("")).toBe("");
    expect(freeText(10).parse("a\r\nb")).toBe("a\r\nb");
  });
});
