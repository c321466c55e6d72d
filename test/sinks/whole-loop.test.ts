import { Afterword } from "@afterword/node";
import { createForwarder, phoenix, type Sink } from "@afterword/node/forwarder";
import { type RunningServer, startServer } from "@afterword/server";
import { randomBytes, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PhoenixServer } from "./phoenix-server.ts";
import { realServer } from "./real-server.ts";

const config = {
  projects: [
    {
      id: "shop",
      name: "Shop",
      publishableKey: "aw_pk_whole_loop_000000000000000000",
      secretKey: "aw_sk_whole_loop_000000000000000000",
      allowedOrigins: [],
      surveys: [
        {
          id: "srv_csat",
          slug: "task-done",
          type: "csat" as const,
          question: "How satisfied are you with this task?",
          presentation: "corner" as const,
          trigger: "manual" as const,
          status: "active" as const,
        },
      ],
    },
  ],
};
const [{ publishableKey, secretKey }] = config.projects as [(typeof config.projects)[0]];

let service: RunningServer;
let afterword: Afterword;
beforeEach(async () => {
  service = await startServer({ config });
  afterword = new Afterword({ secretKey, baseUrl: service.url });
});
afterEach(async () => await service.close());

/** A person answers as a page would: with the token that the agent's server minted for this very run. */
async function rate(run: { sessionId: string; observationId?: string }, rating: number, text?: string) {
  const respondentId = `person-${randomUUID()}`;
  const { tokens } = await afterword.mint({ respondentId, taskType: "search", ...run });
  const response = await fetch(`${service.url}/v1/sdk/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      key: publishableKey,
      showToken: tokens["srv_csat"],
      surveyId: "srv_csat",
      rating,
      text,
    }),
  });
  expect(response.status).toBe(201);
  const { id } = (await response.json()) as { id: string };
  return { id, respondentId };
}

async function forward(sink: Sink) {
  await using forwarder = createForwarder({
    client: afterword,
    sink,
    surveys: { srv_csat: "csat" },
    text: "include",
  });
  return await forwarder.runOnce();
}

async function pendingIds() {
  const ids: string[] = [];
  for await (const { id } of afterword.pendingScores()) ids.push(id);
  return ids;
}

const phoenixUrl = realServer("Phoenix", "PHOENIX_BASE_URL");

describe.skipIf(phoenixUrl === undefined)("from a person's rating to a real Phoenix", () => {
  const server = new PhoenixServer(phoenixUrl ?? "");
  const newRun = () => ({
    sessionId: `session-${randomUUID()}`,
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
  });

  it("a rating of a run that Phoenix does not have yet waits in the queue and arrives when it has", async () => {
    const run = newRun();
    const { id } = await rate({ sessionId: run.sessionId }, 4);
    expect(await forward(phoenix({ baseUrl: phoenixUrl }))).toMatchObject({
      delivered: 0,
      failed: 0,
      deferred: 1,
    });
    expect(await pendingIds()).toEqual([id]);
    await server.record(run);
    expect(await forward(phoenix({ baseUrl: phoenixUrl }))).toMatchObject({ delivered: 1 });
    expect(await server.annotations("session", run.sessionId)).toMatchObject([{ identifier: id }]);
    expect(await pendingIds()).toEqual([]);
  });

  it("a person who is forgotten is forgotten in Phoenix as well", async () => {
    const run = newRun();
    await server.record(run);
    const { respondentId } = await rate({ sessionId: run.sessionId }, 1, "my name is Ada");
    const { id: other } = await rate({ sessionId: run.sessionId }, 5);
    const sink = phoenix({ baseUrl: phoenixUrl });
    await forward(sink);
    await afterword.privacy.eraseEverywhere({ respondentId }, { sinks: [sink], forwarderHoldInMs: 0 });
    const left = await server.annotations("session", run.sessionId);
    expect(left.map(({ identifier }) => identifier)).toEqual([other]);
  });
});
