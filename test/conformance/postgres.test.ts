import { inject } from "vitest";
import { freshPostgres } from "./postgres-database.ts";
import { storeSuite } from "./store.suite.ts";

storeSuite("PostgreSQL", () => freshPostgres(inject("postgresUrl")));
