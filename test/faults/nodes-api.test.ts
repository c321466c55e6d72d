import { afterAll, describe, expect, inject, it } from "vitest";
import { apiSuite, nodesParts, type ApiPart } from "../conformance/api.suite.ts";
import { endIdleNodes } from "./node-process.ts";
import { openNodesWorld } from "./nodes-world.ts";
import { isFullProof } from "./proof-scale.ts";

let kills = 0;

// Nodes share their limits in blocks of permits, so theirs are not exact and have a test of their own. What is wrong
// below HTTP is refused by the proxy before any node sees it. Runs are counted by each node that sees them.
const notAboutNodes: ApiPart[] = ["limits", "hostile", "runCounts"];
apiSuite(
  "by three nodes on one PostgreSQL, behind a proxy, while they are killed",
  () => openNodesWorld(inject("postgresUrl"), (count) => (kills += count)),
  isFullProof ? { without: notAboutNodes } : { only: nodesParts },
);

describe("meanwhile", () => {
  it("nodes were killed", () => expect(kills).toBeGreaterThan(isFullProof ? 3 : 1));
});

afterAll(endIdleNodes);
