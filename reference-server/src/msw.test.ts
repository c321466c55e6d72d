import { http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp, mswHandlers, type Application } from "./index.ts";

const baseUrl = "https://feedback.example/afterword";
const survey = {
  id: "s",
  slug: "s",
  type: "nps",
  question: "How likely?",
  presentation: "corner",
  trigger: "auto",
  status: "active",
} as const;

describe("handlers for msw", () => {
  let application: Application;
  const msw = setupServer();

  beforeAll(async () => {
    const project = { id: "p", name: "p", allowedOrigins: [], surveys: [survey] };
    application = await createApp({ config: { projects: [project] } });
    msw.use(...mswHandlers(http, application, baseUrl));
    msw.listen();
  });

  afterAll(async () => {
    msw.close();
    await application.close();
  });

  it("answer like the server, including its state, without a port", async () => {
    const key = application.projects[0]!.publishableKey;
    const post = (path: string, body: unknown) =>
      fetch(baseUrl + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const { showTokens } = await (await post("/v1/sdk/bootstrap", { key, userId: "ann" })).json();
    const answer = { key, showToken: showTokens.s, surveyId: "s", rating: 9 };
    expect((await post("/v1/sdk/responses", answer)).status).toBe(201);
    expect((await post("/v1/sdk/responses", answer)).status).toBe(409);
    expect((await (await post("/v1/sdk/bootstrap", { key, userId: "ann" })).json()).suppression).toEqual([
      "s",
    ]);
  });

  it.each(["https://one.example", "https://two.example/", "https://three.example/a/b/"])(
    "answer below %s, whether or not it ends with a slash",
    async (base) => {
      msw.use(...mswHandlers(http, application, base));
      const address = `${base.replace(/\/$/, "")}/v1/definitions?key=${application.projects[0]!.publishableKey}`;
      expect((await fetch(address)).status).toBe(200);
    },
  );

  it("answer unknown paths like the server", async () => {
    expect((await fetch(`${baseUrl}/v1/nothing`)).status).toBe(404);
  });
});
