import { describe, expect, it } from "vitest";
import { createApp } from "./create-app.ts";
import { Load } from "../health/load.ts";

const config = { projects: [{ id: "p", name: "p", allowedOrigins: [], surveys: [] }] };

describe("an overloaded server", () => {
  it("answers 503 with Retry-After before it reads a body", async () => {
    const load = new Load({ requests: 0 });
    await using application = await createApp({ config, load });
    let wasRead = false;
    const body = new ReadableStream(
      {
        pull() {
          wasRead = true;
        },
      },
      { highWaterMark: 0 },
    );
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    const response = await application.app.request("/v1/sdk/bootstrap", init);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("2");
    expect(await response.json()).toMatchObject({ code: "unavailable" });
    expect(wasRead).toBe(false);
  });

  it("frees the slot of every request, whatever its outcome", async () => {
    const load = new Load();
    await using application = await createApp({ config, load });
    const key = application.projects[0]!.publishableKey;
    await application.app.request(`/v1/sdk/bootstrap?key=${key}`, { method: "POST" });
    await application.app.request("/v1/sdk/bootstrap", { method: "POST", body: "{" });
    await application.app.request("/v1/sdk/tokens", { method: "POST", body: "{}" });
    expect(load.requestsInFlight).toBe(0);
  });

  it("frees the slot of a refused request even if an event listener throws", async () => {
    const load = new Load();
    const emit = () => {
      throw new Error("the listener is broken");
    };
    const secretKey = `aw_sk_${"b".repeat(30)}`;
    const projects = [{ ...config.projects[0]!, secretKey }];
    await using application = await createApp({ config: { projects }, load, events: { emit } });
    const init = { method: "POST", body: JSON.stringify({ key: secretKey }) };
    await Promise.allSettled([application.app.request("/v1/sdk/bootstrap", init)]);
    expect(load.requestsInFlight).toBe(0);
  });
});
