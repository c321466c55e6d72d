import { inject } from "vitest";
import { isFullProof } from "../faults/proof-scale.ts";
import { apiSuite, nodesParts, requestParts } from "./api.suite.ts";
import { openPostgresWorld } from "./api/postgres-world.ts";

apiSuite("on PostgreSQL", () => openPostgresWorld(inject("postgresUrl")), {
  without: isFullProof ? [] : [...requestParts, ...nodesParts],
});
