import { expect, it } from "vitest";
import { allowedHeaders } from "./allowed-headers.ts";

/** A list of header names with so many characters, all of them names. */
const ofLength = (length: number) => "x-a,".repeat(length).slice(0, length - 1) + "y";

it.each([
  ["traceparent", "traceparent"],
  ["baggage,content-type,sentry-trace,traceparent", "baggage,content-type,sentry-trace,traceparent"],
  ["X-Datadog-Trace-Id , x-b3-traceid", "X-Datadog-Trace-Id,x-b3-traceid"],
  ["authorization,x_tenant,!#$%&'*+.^`|~9", "authorization,x_tenant,!#$%&'*+.^`|~9"],
])("a preflight is allowed the headers that it asks for, whatever their names: %s", (asked, allowed) => {
  expect(allowedHeaders(asked)).toBe(allowed);
});

it.each([
  undefined,
  null,
  "",
  ",",
  "traceparent,,baggage",
  "a b",
  "a:b",
  "ä",
  "a\tb",
  'a"',
  "a,(b)",
  "a;q=1",
  "x\ny",
])("one that asks for none, or for what is no header name, is allowed content-type: %j", (asked) => {
  expect(allowedHeaders(asked)).toBe("content-type");
});

it("a list has at most 2 KiB", () => {
  expect(allowedHeaders(ofLength(2048))).not.toBe("content-type");
  expect(allowedHeaders(ofLength(2049))).toBe("content-type");
});
