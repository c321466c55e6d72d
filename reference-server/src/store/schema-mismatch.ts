import { UnusableDatabase } from "./unusable-database.ts";

function advice(found: number, known: number): string {
  if (found > known) return "run a newer server, or restore a backup";
  if (found === 0) return "begin with `project create`, or start the server";
  return "stop the servers of the older version and start the server of this version once: it migrates";
}

/** The schema of the database is not the one that this program works with; nothing was changed. */
export class SchemaMismatch extends UnusableDatabase {
  /** Of the database; 0 when it is empty. */
  readonly found: number;
  /** The newest one that this program knows. */
  readonly known: number;
  /** What to do. */
  readonly advice: string;

  constructor(found: number, known: number) {
    super(`The database has version ${found} and this server knows ${known}: ${advice(found, known)}.`);
    this.name = "SchemaMismatch";
    this.found = found;
    this.known = known;
    this.advice = advice(found, known);
  }
}

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
