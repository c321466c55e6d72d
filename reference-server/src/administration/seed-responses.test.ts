import { describe, expect, it } from "vitest";
import { startServer, type SeedResponse } from "../index.ts";

// `as const`, as a test's own data often is: it must compile as a config.
const config = {
  projects: [
    {
      id: "shop",
      name: "Shop",
      allowedOrigins: ["https://shop.example"],
      surveys: [
        {
          id: "csat",
          slug: "how-was-it",
          type: "csat",
          question: "How was it?",
          presentation: "corner",
          trigger: "manual",
          status: "active",
          targeting: [{ trait: "plan", op: "in", value: ["pro", "team"] }],
        },
      ],
    },
  ],
  rateLimits: false,
} as const;

async function pending(server: Awaited<ReturnType<typeof startServer>>) {
  const headers = { authorization: `Bearer ${server.projects[0]!.secretKey}` };
  const reply = await fetch(`${server.url}/v1/sdk/pending-scores?limit=100`, { headers });
  return (await reply.json()) as { scores: Record<string, unknown>[]; nextCursor?: string };
}

describe("seed", () => {
  it("stores 200 linked answers in one call, which wait in the queue", async () => {
    await using server = await startServer({ config });
    const answers = Array.from({ length: 200 }, (_, index) => ({ rating: 1 + (index % 5) }));
    const ids = await server.seed("shop", answers);
    expect(new Set(ids).size).toBe(200);
    const { scores, nextCursor } = await pending(server);
    expect([scores.length, nextCursor]).toEqual([100, expect.any(String)]);
    expect(scores[0]).toMatchObject({ id: ids[0], rating: 1, sessionId: expect.stringMatching(/^run-/) });
  });

  it("takes session, observation, task type, text and person as they are given", async () => {
    await using server = await startServer({ config });
    const run = { sessionId: "run-1", observationId: "span-1", taskType: "refund" };
    const [id] = await server.seed("shop", [
      { rating: 4, text: "quick", survey: "how-was-it", respondentId: "ada", ...run },
      { rating: 5, sessionId: null },
    ]);
    expect((await pending(server)).scores).toEqual([
      expect.objectContaining({ id, rating: 4, text: "quick", surveyId: "csat", ...run }),
    ]);
  });

  it.each<[string, string, SeedResponse, string]>([
    [
      "a project that there is not",
      "store",
      { rating: 5 },
      'There is no project "store". Known projects: shop.',
    ],
    ["a survey that there is not", "shop", { rating: 5, survey: "nps" }, "Known surveys: how-was-it."],
    [
      "a rating off the scale",
      "shop",
      { rating: 9 },
      "A rating of this survey is a whole number from 1 to 5.",
    ],
  ])("refuses %s, and says what there is", async (_, project, answer, message) => {
    await using server = await startServer({ config });
    await expect(server.seed(project, [answer])).rejects.toThrow(message);
  });
});
