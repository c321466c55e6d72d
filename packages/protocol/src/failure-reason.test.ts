import { describe, expect, it } from "vitest";
import vectors from "../vectors/failure-reasons.json" with { type: "json" };
import { failureReason } from "./failure-reason.ts";
import { ackBody } from "./score.ts";

describe("the reason of a failed score", () => {
  it.each(vectors)("$rule", ({ reason, sent }) => {
    expect(failureReason(reason)).toBe(sent);
    const results = [{ id: "row-1", state: "failed", reason: sent }];
    expect(ackBody.safeParse({ results }).success).toBe(true);
  });

  it("replaces a lone surrogate, which JSON could not carry", () => {
    expect(failureReason("bad \ud800")).toBe("bad \ufffd");
  });
});
