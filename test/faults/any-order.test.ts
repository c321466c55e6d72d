import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { type ApiWorld } from "../conformance/api/api-world.ts";
import { openPostgresWorld } from "../conformance/api/postgres-world.ts";
import { keysOf, project, survey } from "../conformance/api/projects.ts";
import { isFullProof, proofScale } from "./proof-scale.ts";
import { anyCalls } from "./service-commands.ts";
import { ServiceModel, surveys } from "./service-model.ts";

// Every route, called in any order, against a model of the contract that fits on a page: an order in which
// the two differ gets printed, as short as it can be made. On SQLite the simulation does so.

const callsPerRun = 40;

/** What uses of tokens were answered with, over all runs. */
async function compare(world: ApiWorld, runs: number): Promise<string[]> {
  const own = surveys.map((id) => survey(id));
  const config = {
    rateLimits: false as const,
    projects: [project("own", { surveys: own }), project("foreign", { surveys: own })],
  };
  const api = await world.start(config);
  const real = {
    client: new ApiClient(api.baseUrl, keysOf("own")),
    foreigner: new ApiClient(api.baseUrl, keysOf("foreign")),
    clock: world.clock,
    seen: new Set<string>(),
  };
  const property = fc.asyncProperty(anyCalls(callsPerRun), async (calls) => {
    // Nothing of the run before is left.
    await real.client.erase({ account: "true" });
    await fc.asyncModelRun(() => ({ model: new ServiceModel(), real }), calls);
  });
  try {
    await fc.assert(property, { numRuns: runs, ...(!isFullProof && { seed: 20_261_121 }) });
  } finally {
    await api.stop();
    await world.dispose();
  }
  return [...real.seen].toSorted();
}

const everyReply = ["201", "401 token_expired", "401 token_invalid", "401 token_used", "409 token_used"];

describe("the service, called in any order, does what its model does", () => {
  const runs = proofScale({ quick: 10, full: 200 });

  it(
    `on PostgreSQL, ${runs} times up to ${callsPerRun} calls`,
    { timeout: 60_000 + runs * 2000 },
    async () => {
      const world = await openPostgresWorld(inject("postgresUrl"));
      await expect(compare(world, runs)).resolves.toEqual(everyReply);
    },
  );
});
