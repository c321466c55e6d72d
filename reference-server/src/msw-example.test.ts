import { createApp, mswHandlers } from "@afterword/reference-server";
import { http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, expect, it } from "vitest";

const baseUrl = "https://feedback.example";
const look = { presentation: "corner", trigger: "manual", status: "active" } as const;
const survey = { id: "sat", slug: "sat", type: "csat", question: "How was it?", ...look } as const;
const project = { id: "shop", name: "Shop", allowedOrigins: ["*"], surveys: [survey] };
const application = await createApp({ config: { projects: [project], rateLimits: false } });
const { publishableKey, secretKey } = application.projects[0]!;
const msw = setupServer(...mswHandlers(http, application, baseUrl));

beforeAll(() => msw.listen());
afterAll(async () => {
  msw.close();
  await application.close();
});

it("the page's requests reach the server in memory", async () => {
  const definitions = await fetch(`${baseUrl}/v1/definitions?key=${publishableKey}`);
  expect(await definitions.json()).toMatchObject({ surveys: [{ id: "sat" }] });
});

it("a test looks into the server without msw", async () => {
  await application.seed("shop", [{ rating: 5 }]);
  const headers = { authorization: `Bearer ${secretKey}` };
  const queue = await application.app.request("/v1/sdk/pending-scores", { headers });
  expect(await queue.json()).toMatchObject({ scores: [{ surveyId: "sat", rating: 5 }] });
});
