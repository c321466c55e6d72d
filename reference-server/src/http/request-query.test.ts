import { describe, expect, it } from "vitest";
import { parseQuery } from "./admission.ts";

const parse = (search: string) => parseQuery(search, (name) => name === "key", "invalid_query");

describe("a query", () => {
  it.each([
    ["", {}],
    ["key=a", { key: "a" }],
    ["key=a+b%20c%2Bd", { key: "a b c+d" }],
    ["key=%F0%9F%99%82", { key: "🙂" }],
    ["key", { key: "" }],
    ["key=a=b", { key: "a=b" }],
    ["&&key=a&", { key: "a" }],
    ["x=1&x=2", { x: "2" }],
  ])("%j is %j", (search, fields) => expect(parse(search)).toEqual(fields));

  it.each(["key=a&key=a", "key=a&%6Bey=b", "key=%", "key=%ff", "%zz=1"])("%j is refused", (search) => {
    expect(() => parse(search)).toThrow();
  });

  it("has __proto__ as an ordinary field", () => {
    const fields = parse("__proto__=1");
    expect(Object.keys(fields)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });
});
