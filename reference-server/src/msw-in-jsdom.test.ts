// @vitest-environment jsdom
import { http } from "msw";
import { setupServer } from "msw/node";
import { expect, it } from "vitest";
import { createApp, mswHandlers } from "./index.ts";

it("under vitest's jsdom the handlers for msw get method, headers and body of a request", async () => {
  const baseUrl = "https://feedback.example/afterword";
  const project = { id: "p", name: "p", allowedOrigins: ["*"], surveys: [] };
  await using application = await createApp({ config: { projects: [project] } });
  const msw = setupServer(...mswHandlers(http, application, baseUrl));
  msw.listen();
  try {
    const body = JSON.stringify({ key: application.projects[0]!.publishableKey });
    const headers = { "content-type": "application/json" };
    const reply = await fetch(`${baseUrl}/v1/sdk/bootstrap`, { method: "POST", headers, body });
    expect([reply.status, await reply.json()]).toMatchObject([200, { surveys: [] }]);
  } finally {
    msw.close();
  }
});
