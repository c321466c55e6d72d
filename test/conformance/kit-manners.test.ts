import {
  ApiClient,
  type ClauseResult,
  exchange,
  type HttpReply,
  type HttpRequest,
  runClauses,
  serverClauses,
  Service,
} from "@afterword/conformance";
import { startServer, type RunningServer, type ServerConfig } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allowedOrigin, kitConfig } from "./api/contract.suite.ts";
import { testClock } from "./api/test-clock.ts";
import { bodyOf, endpoints, on } from "./kit-faults/broken.ts";

const runId = "conformance-random";
const clock = testClock();
const clients = kitConfig.projects.map((keys) => (baseUrl: string) => new ApiClient(baseUrl, keys));
const sent: { request: HttpRequest; reply: HttpReply }[] = [];
const forwarder = { lease: "300", consumer: "a-forwarder" };

let server: RunningServer;

/** What customers see of both projects. */
const state = () =>
  Promise.all(
    clients.map(async (clientAt) => {
      const client = clientAt(server.url);
      const { responses } = (await client.export()).json;
      const queue = [await client.drain(), await client.drain({ includeFailed: "true" })];
      // What nobody has leased, or given back too early.
      const free = await client.drain({ lease: "1", consumer: "another-forwarder" });
      await client.pending({ lease: "0", consumer: "another-forwarder" });
      return { responses, queue, free };
    }),
  );

/** Rows of customers: a pending one, a failed one, and one that a forwarder has leased. */
async function addCustomers(client: ApiClient, surveyId: string): Promise<void> {
  await client.answer(surveyId, "a-customer");
  await client.pending(forwarder);
  await client.answer(surveyId, "another-customer");
  const failed = await client.answer(surveyId, "a-third-customer");
  await client.ack([{ id: failed, state: "failed" }]);
}

/** Requests to one endpoint that the server took. */
const taken = (endpoint: string) =>
  sent.filter(({ request, reply }) => on(endpoint)(request, reply) && reply.status < 300);

describe("a run of all clauses beside customers, without --disposable-project", () => {
  let before: Awaited<ReturnType<typeof state>>;
  let results: ClauseResult[];

  beforeAll(async () => {
    server = await startServer({ config: kitConfig as ServerConfig, clock });
    await addCustomers(clients[0]!(server.url), "nps");
    await addCustomers(clients[1]!(server.url), "second-nps");
    before = await state();
    const service = new Service({
      baseUrl: server.url,
      keys: kitConfig.projects[0]!,
      secondKeys: kitConfig.projects[1]!,
      allowedOrigin,
      wait: async (milliseconds) => clock.advance(milliseconds),
      exchange: async (request) => {
        const reply = await exchange(request);
        sent.push({ request, reply });
        return reply;
      },
      runId,
    });
    results = await runClauses({ clauses: serverClauses, subject: service });
    await service.leaveAsFound();
  }, 120_000);
  afterAll(() => server.close());

  it("ends with no failed clause, and with seven that are not testable", () => {
    const counts = Map.groupBy(results, ({ outcome }) => outcome);
    expect([counts.get("failed"), counts.get("notTestable")?.length]).toEqual([undefined, 7]);
  });

  it("changes no row, no place in the queue and no lease", async () => {
    expect(before.map(({ responses, free }) => [responses.length, free.length])).toEqual([
      [3, 1],
      [3, 1],
    ]);
    expect(await state()).toEqual(before);
  });

  it("leases no score of a customer", () => {
    const leased = sent.filter(({ request }) => /lease=[1-9]/.test(request.target));
    const customers = before.flatMap(({ responses }) => responses).map(({ id }: { id: string }) => id);
    expect(leased.length).toBeGreaterThan(5);
    for (const { reply } of leased) for (const id of customers) expect(reply.text).not.toContain(id);
  });

  it("sends no erasure without an id of its own, and none of the account", () => {
    const erasures = sent.filter(
      ({ request: { method, target, headers } }) =>
        method === "DELETE" && target.startsWith("/v1/privacy/erase") && "x-service-key" in headers,
    );
    expect(erasures.length).toBeGreaterThan(100);
    for (const { request } of erasures) {
      const query = new URLSearchParams(request.target.split("?")[1]);
      expect([...query.values()].join().toLowerCase()).toContain(runId);
      expect([...query.keys(), ...Object.keys(bodyOf(request))]).not.toContain("account");
    }
  });

  it("begins each session with the random id of the run", () => {
    const sessions = [...taken(endpoints.mint), ...taken(endpoints.submit)]
      .map(({ request }) => bodyOf(request).sessionId)
      .filter((sessionId) => sessionId !== undefined);
    expect(sessions.length).toBeGreaterThan(100);
    for (const sessionId of sessions) expect(sessionId).toMatch(new RegExp(`^${runId}-`));
  });
});
