import { expect, it } from "vitest";
import { Afterword } from "@afterword/node";
import { startServer, type SurveyConfig } from "@afterword/reference-server";
import { createApplication } from "./application.ts";

const look = { presentation: "corner", trigger: "manual", status: "active" } as const;
const survey: SurveyConfig = { id: "sat", slug: "sat", type: "csat", question: "How was it?", ...look };
const config = { projects: [{ id: "shop", name: "Shop", allowedOrigins: [], surveys: [survey] }] };

async function startShop() {
  const server = await startServer({ config });
  const { publishableKey: key, secretKey } = server.projects[0]!;
  const afterword = new Afterword({ baseUrl: server.url, secretKey });
  const application = createApplication(afterword);
  const post = (body: object) => ({ method: "POST", body: JSON.stringify(body) });
  return {
    afterword,
    finishTask: async (user: string) =>
      (await application.request("/tasks", post({ user, request: "refund order 17" }))).json(),
    rate: (showToken: string, rating: number) =>
      fetch(`${server.url}/v1/sdk/responses`, post({ key, showToken, surveyId: "sat", rating })),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

it("links what a person says to the run that the application finished for them", async () => {
  await using shop = await startShop();
  const { sessionId, feedback } = await shop.finishTask("ada");
  expect((await shop.rate(feedback.sat, 5)).status).toBe(201);
  const first = await shop.afterword.pendingScores()[Symbol.asyncIterator]().next();
  expect(first.value).toMatchObject({ sessionId, rating: 5, taskType: "refund" });
});

it("asks each person once, and says why it does not ask again", async () => {
  await using shop = await startShop();
  const { feedback, reason } = await shop.finishTask("bob");
  expect(feedback.sat, reason?.sat).toBeTypeOf("string");
  expect((await shop.rate(feedback.sat, 2)).status).toBe(201);
  expect(await shop.finishTask("bob")).toMatchObject({ reason: { sat: "gated" } });
  expect(await shop.finishTask("cleo")).toMatchObject({ feedback: { sat: expect.any(String) } });
});
