import { inject } from "vitest";
import { apiSuite } from "./api.suite.ts";
import { openPostgresWorld } from "./api/postgres-world.ts";

apiSuite("the service on PostgreSQL", () => openPostgresWorld(inject("postgresUrl")));
