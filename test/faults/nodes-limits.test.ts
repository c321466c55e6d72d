import { afterAll, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "../conformance/api/projects.ts";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { endIdleNodes } from "./node-process.ts";
import { RoundRobin } from "./round-robin.ts";
import { ServerNodes } from "./server-nodes.ts";
import { sharedClock } from "./shared-clock.ts";

afterAll(endIdleNodes);

it("three nodes together allow a client one limit, each of them a third of it", async () => {
  const database = await freshPostgres(inject("postgresUrl"));
  const clock = sharedClock();
  const proxy = await RoundRobin.open();
  const config = {
    nodes: 3,
    rateLimits: { public: { perMinute: 60, burst: 9 } },
    projects: [project("p")],
  };
  const nodes = await ServerNodes.start({ database, config, clockFile: clock.file }, proxy, 3);
  const client = new ApiClient(proxy.url, keysOf("p"));
  const replies: Awaited<ReturnType<typeof client.bootstrap>>[] = [];
  for (let count = 0; count < 12; count++) replies.push(await client.bootstrap());
  expect(replies.map(({ status }) => status)).toEqual([...Array(9).fill(200), ...Array(3).fill(429)]);
  expect(replies[0]!.headers.get("ratelimit-policy")).toContain('"public";q=20;w=60');
  await nodes.stop();
  await proxy.close();
  clock.close();
});
