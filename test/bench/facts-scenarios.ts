import { type ServerConfig } from "@afterword/server";
import { benchSecretKey } from "./bench-config.ts";
import { startBuiltServer } from "./child-server.ts";
import { assertAnswered, requestBytes, runLoad, type LoadResult } from "./load.ts";
import { bestRun, connections, inTurns, repeat } from "./measure.ts";

const survey = {
  type: "csat",
  question: "How well did the agent do this task?",
  presentation: "corner",
  trigger: "manual",
  status: "active",
} as const;

/** Two surveys that differ in their sampling alone; each run is in the sample. */
export const factsConfig: ServerConfig = {
  rateLimits: false,
  projects: [
    {
      id: "facts",
      name: "Facts",
      secretKey: benchSecretKey,
      allowedOrigins: [],
      surveys: [
        { ...survey, id: "all", slug: "all" },
        {
          ...survey,
          id: "sampled",
          slug: "sampled",
          sampling: {
            probability: 0.05,
            strata: [
              { name: "long", when: [{ trait: "steps", op: "gte", value: 100 }], probability: 0.5 },
              { name: "failed", when: [{ trait: "outcome", op: "eq", value: "failed" }], probability: 1 },
            ],
          },
        },
      ],
    },
  ],
};

const run = {
  version: "2.4.1",
  facts: {
    outcome: "failed",
    handedOver: true,
    steps: 14,
    toolErrors: 1,
    costInUsd: 0.31,
    model: "model-of-today",
  },
};

export type FactsFigures = Record<"without" | "withFacts", LoadResult>;

/** Mints for a survey without sampling and without facts, and for one with both, in turns on one server. */
export async function benchFacts(config: string, database: string, requests: number): Promise<FactsFigures> {
  const server = await startBuiltServer(config, database);
  const load = (body: object) => async () => {
    const ids = { respondentId: "respondent-0123456789", sessionId: "session-0123456789abcdef" };
    const headers = { "X-Service-Key": benchSecretKey };
    const bytes = requestBytes("POST", "/v1/sdk/tokens", { ...ids, ...body }, headers);
    const result = await runLoad({ server, connections, requests, next: repeat(bytes) });
    assertAnswered(result, "200");
    return result;
  };
  try {
    const [without, withFacts] = await inTurns(load({ surveyId: "all" }), load({ surveyId: "sampled", run }));
    return { without: bestRun(without!), withFacts: bestRun(withFacts!) };
  } finally {
    await server.stop();
  }
}
