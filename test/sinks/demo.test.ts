import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemo } from "../end-to-end/demo-program.ts";
import { PhoenixServer } from "./phoenix-server.ts";
import { realServer, until } from "./real-server.ts";

const phoenixUrl = realServer("Phoenix", "PHOENIX_BASE_URL");

/** Sends a task as the page does, and reads the token that the agent's server hands over. */
async function giveTask(demoUrl: string, visitor: string) {
  const body = JSON.stringify({ visitor, surveyId: "satisfaction", request: "Refund order 1042" });
  const reply = await fetch(`${demoUrl}chat`, { method: "POST", body });
  const lines = (await reply.text()).split("\n").filter(Boolean);
  const last = JSON.parse(lines.at(-1)!) as { feedback: { token: string; sessionId: string } };
  return last.feedback;
}

/** Answers as the widget does, with the key and the address that the page carries. */
async function answer(demoUrl: string, showToken: string, rating: number) {
  const page = await (await fetch(demoUrl)).text();
  const attribute = (name: string) => new RegExp(`${name}="([^"]+)"`).exec(page)![1]!;
  const body = { key: attribute("data-key"), showToken, surveyId: "satisfaction", rating };
  const headers = { "content-type": "application/json", "origin": new URL(demoUrl).origin };
  const url = `${attribute("data-base-url")}/v1/sdk/responses`;
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

describe.skipIf(!phoenixUrl)("the demo with a real Phoenix", () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  beforeAll(async () => void (demo = await startDemo()));
  afterAll(() => demo?.stop());

  it("pushes the rating to the session of its run there, and to no file", async () => {
    const visitor = randomUUID();
    const { token, sessionId } = await giveTask(demo.url, visitor);
    expect((await answer(demo.url, token, 5)).status).toBe(201);
    await until(
      async () => (await fetch(`${demo.url}progress/${sessionId}/satisfaction`)).json(),
      (progress: { acknowledged: boolean }) => progress.acknowledged,
    );
    const annotations = await new PhoenixServer(phoenixUrl!).annotations("session", sessionId);
    expect(annotations).toMatchObject([
      { name: expect.stringMatching(/^afterword\./), result: { score: 5, label: "satisfied" } },
    ]);
    expect(demo.scores()).toEqual([]);
  });
});
