import { describe, expect, it } from "vitest";
import { createApp, issueTokens, type SurveyConfig } from "@afterword/reference-server/internal";
import { openStore } from "../postgres/open-store.ts";
import { forgetOldData, type RetentionPolicy } from "./retention.ts";

const dayInMs = 86_400_000;
const survey: SurveyConfig = {
  id: "thumbs",
  slug: "thumbs",
  type: "csat",
  question: "?",
  status: "active",
  presentation: "inline",
  trigger: "manual",
  askAgain: { eachRun: true },
};
const config = { projects: [{ id: "shop", name: "Shop", allowedOrigins: [], surveys: [survey] }] };

/** Whether the run of an answer may be asked about again after some days, with a clean-up by the policy. */
async function mayAskAgain(afterDays: number, policy: Partial<RetentionPolicy>): Promise<boolean> {
  let now = Date.UTC(2026, 10, 21, 12);
  const store = await openStore(":memory:");
  const { service, seed } = await createApp({ store, config, clock: { now: () => now } });
  await seed("shop", [{ rating: 5, respondentId: "ada", sessionId: "run" }]);
  now += afterDays * dayInMs;
  const whole = { responseRetentionDays: 0, textRetentionDays: 0, failedTextRetentionDays: 0, ...policy };
  await forgetOldData({ store }, whole, { now });
  const project = service.directory.project("shop")!;
  const request = { respondentId: "ada", binding: { sessionId: "run" } };
  const { tokens } = await issueTokens(service, project, request);
  await store.close();
  return "thumbs" in tokens;
}

describe("which runs a person has rated", () => {
  it("is forgotten after 400 days unless the policy says otherwise", async () => {
    expect(await mayAskAgain(399.9, {})).toBe(false);
    expect(await mayAskAgain(400.1, {})).toBe(true);
    expect(await mayAskAgain(50, { runRetentionDays: 60 })).toBe(false);
    expect(await mayAskAgain(70, { runRetentionDays: 60 })).toBe(true);
  });

  it("is never forgotten with 0 days", async () => {
    expect(await mayAskAgain(4000, { runRetentionDays: 0 })).toBe(false);
  });

  it("is not forgotten while a token of the run may be alive, whatever the policy says", async () => {
    expect(await mayAskAgain(30.5, { runRetentionDays: 1 })).toBe(false);
    expect(await mayAskAgain(31.5, { runRetentionDays: 1 })).toBe(true);
  });
});
