import { describe, expect, it } from "vitest";
import { storableJson, storableText } from "./connection.ts";

describe("rows for PostgreSQL", () => {
  it("are JSON as it is, also where a text looks like an escape", () => {
    const rows = [{ text: '👍 \\u0000 \\ud800 "quoted"', rating: 0, absent: undefined }];
    expect(JSON.parse(storableJson(rows))).toEqual([{ text: rows[0]!.text, rating: 0 }]);
  });

  it("have U+FFFD where PostgreSQL could hold neither U+0000 nor half a character", () => {
    const json = storableJson([{ text: "a\0b\ud800c\udfffd", other: "plain" }]);
    expect(JSON.parse(json)).toEqual([{ text: "a\ufffdb\ufffdc\ufffdd", other: "plain" }]);
  });

  it("keep JSON texts inside of them whole", () => {
    const traits = JSON.stringify({ a: "x\0y" });
    const [row] = JSON.parse(storableJson([{ traits, text: "\0" }])) as { traits: string }[];
    expect(JSON.parse(row!.traits)).toEqual({ a: "x\0y" });
  });

  it("replace the same in single texts", () => {
    expect(storableText("a\0\ud83d👍")).toBe("a\ufffd\ufffd👍");
  });
});
