import { SchemaMismatch } from "./schema-mismatch.ts";

/**
 * What opening may do to the schema of a database: `migrate` lifts it to the newest, `create` makes it in an empty
 * database, `none` leaves it as it is, so that a look at a database does not change it below an older server.
 */
export type SchemaChange = "migrate" | "create" | "none";

/**
 * @param found version of the database; 0 when it is empty
 * @param known the newest version
 * @throws SchemaMismatch when what was found can neither be used nor changed
 */
export function assertSchema(found: number, known: number, change: SchemaChange): void {
  const isAllowed = change === "migrate" || (change === "create" && found === 0);
  if (found > known || (found < known && !isAllowed)) throw new SchemaMismatch(found, known);
}
