import { startServer } from "@afterword/server";
import { afterEach, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { openTcpGate, type TcpGate } from "./tcp-gate.ts";

let gate: TcpGate | undefined;
afterEach(() => gate?.close());

it("metrics go on while the database does not answer: what waits, and not what only the database knows", async () => {
  const url = new URL(await freshPostgres(inject("postgresUrl")));
  gate = await openTcpGate(url.hostname, Number(url.port));
  url.port = String(gate.port);
  url.searchParams.set("pool_size", "2");
  const config = { rateLimits: false as const, projects: [project("p")] };
  let aheadInMs = 0;
  const now = () => Date.now() + aheadInMs;
  const clock = { now, monotonic: now };
  await using server = await startServer({ database: url.href, config, clock, admin: { port: 0 } });
  const client = new ApiClient(server.url, keysOf("p"));
  await client.answer("p-nps", "ann");
  const metrics = async () => (await fetch(`${server.adminUrl}/metrics`)).text();
  expect(await metrics()).toContain('afterword_queue_pending{project="p"} 1');
  gate.hold();
  // What was measured is remembered for five seconds.
  aheadInMs += 5000;
  await expect.poll(metrics, { timeout: 20_000 }).toContain("afterword_database_up 0");
  const waiting = Array.from({ length: 5 }, () => client.bootstrap("bob"));
  await expect.poll(metrics, { timeout: 20_000 }).toContain("afterword_requests_in_flight 5");
  const text = await metrics();
  expect(text).toContain('afterword_database_connections{pool="requests",state="size"} 2');
  expect(text).not.toContain("afterword_queue_pending{");
  gate.cut();
  gate.open();
  for (const reply of await Promise.all(waiting)) expect([200, 503]).toContain(reply.status);
  await expect.poll(metrics, { timeout: 20_000 }).toContain("afterword_database_up 1");
});
