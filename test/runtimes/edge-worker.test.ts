import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRatedService } from "./rated-service.ts";
import { bundleForWorker, startWorkerd, workerdPath } from "./workerd.ts";

const path = workerdPath();
const entry = fileURLToPath(new URL("edge-worker.mjs", import.meta.url));

it("the built client bundles for a worker without a module of Node", async () => {
  const script = await bundleForWorker(entry);
  expect(script).not.toMatch(/\bfrom "|\bimport[ ("]|\brequire\(/);
});

it("the built client reads OpenTelemetry's active span without taking its API into a bundle", async () => {
  const script = await bundleForWorker(entry);
  expect(script).toContain("opentelemetry.js.api.1");
  expect(script).not.toMatch(/ContextManager|ProxyTracer/);
});

describe.skipIf(path === undefined)("the built client in workerd, without anything of Node", () => {
  let service: Awaited<ReturnType<typeof startRatedService>>;
  let worker: Awaited<ReturnType<typeof startWorkerd>>;
  beforeAll(async () => {
    service = await startRatedService();
    const { variables } = service;
    const script = await bundleForWorker(entry);
    worker = await startWorkerd(path!, script, { variables, handler: "eachCall" });
  });
  afterAll(async () => {
    await worker?.stop();
    await service?.close();
  });

  const call = async (name: string, body?: unknown) => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return await (await fetch(`${worker.handlerUrl}/${name}`, sent)).json();
  };
  const boundToken = expect.stringMatching(/^st2\./);

  it("is a worker's fetch handler that mints for its own pages and refuses others", async () => {
    const mint = (origin?: string) =>
      fetch(worker.url, { method: "POST", headers: origin === undefined ? {} : { origin } });
    const reply = await mint();
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({
      tokens: { csat: boundToken },
      gated: false,
      sessionId: "session-of-a-run",
    });
    expect((await mint("https://elsewhere.example")).status).toBe(403);
  });

  it("mints, asks, reads the queue, acknowledges and exports as a stream", async () => {
    const reply = (await (await fetch(worker.url, { method: "POST" })).json()) as {
      tokens: { csat: string };
    };
    expect(await call("mint")).toMatchObject({ tokens: { csat: boundToken }, gated: false });
    expect(await call("ask", reply.tokens.csat)).toEqual({ type: "csat" });
    const [row, ...more] = (await call("pending")) as { id: string; rating: number }[];
    expect([row?.rating, more]).toEqual([4, []]);
    const delivered = await call("ack", [{ id: row!.id, state: "delivered" }]);
    expect(delivered).toMatchObject({ updated: 1 });
    expect(await call("pending")).toEqual([]);
    expect(await call("export")).toMatchObject([{ id: row!.id, rating: 4 }]);
  });

  it("knows its errors", async () => {
    expect(await call("refused")).toEqual({ isApiError: true, status: 401 });
  });
});
