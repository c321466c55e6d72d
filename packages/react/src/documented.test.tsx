import { createAfterword } from "@afterword/browser";
import { startServer, type RunningServer } from "@afterword/reference-server";
import { act } from "react";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { HowEasy } from "../fixtures/documented/how-easy.tsx";
import { RateAnswer } from "../fixtures/documented/rate-answer.tsx";
import { render } from "../fixtures/render.ts";
import { AfterwordProvider } from "./index.ts";

const look = { presentation: "inline", trigger: "manual", status: "active" } as const;
const surveys = [
  { ...look, id: "answer", slug: "answer", type: "csat", question: "Was it good?" },
  { ...look, id: "easy", slug: "how-easy", type: "ces", question: "How easy was it?" },
] as const;

let service: RunningServer;
beforeAll(async () => {
  const projects = [{ id: "p", name: "P", allowedOrigins: ["*"], surveys: [...surveys] }];
  service = await startServer({ config: { projects } });
});
afterAll(() => service.close());

function aClient() {
  const client = createAfterword({ key: service.projects[0]!.publishableKey, baseUrl: service.url });
  client.identify(`person-${crypto.randomUUID()}`);
  onTestFinished(() => client.destroy());
  return client;
}

describe("a component of the README", () => {
  it("draws thumbs and an inline survey for a run", async () => {
    const run = { tokens: { answer: "st2.token", easy: "st2.token" }, sessionId: "run-1" };
    const { container } = await render(
      <AfterwordProvider client={aClient()}>
        <RateAnswer run={run} />
      </AfterwordProvider>,
    );
    const thumbs = container.querySelector("afterword-thumbs")!;
    const patience = { timeout: 10_000 };
    await expect.poll(() => thumbs.shadowRoot?.querySelectorAll("button").length, patience).toBe(2);
    await expect.poll(() => container.querySelector("afterword-view"), patience).not.toBeNull();
  });

  it("draws a survey itself and sends its rating", async () => {
    const client = aClient();
    const { container } = await render(
      <AfterwordProvider client={client}>
        <HowEasy />
      </AfterwordProvider>,
    );
    client.ask("how-easy");
    await act(() => vi.waitUntil(() => client.getSurvey(), { timeout: 10_000 }));
    expect(container.querySelector("legend")!.textContent).toBe("How easy was it?");
    const submitted = new Promise((resolve) => client.on("submitted", resolve));
    await act(async () => {
      container.querySelectorAll("button")[6]!.click();
      await submitted;
    });
    expect(await submitted).toMatchObject({ rating: 7, result: "stored" });
  });
});
