import { afterAll, expect, inject } from "vitest";
import { apiSuite } from "../conformance/api.suite.ts";
import { endIdleNodes } from "./node-process.ts";
import { openNodesWorld } from "./nodes-world.ts";

let kills = 0;

apiSuite(
  "by three nodes on one PostgreSQL, behind a proxy, while they are killed",
  () => openNodesWorld(inject("postgresUrl"), (count) => (kills += count)),
  { hasExactLimits: false },
);

afterAll(() => {
  endIdleNodes();
  expect(kills).toBeGreaterThan(3);
});
