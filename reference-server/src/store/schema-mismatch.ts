import { UnusableDatabase } from "./unusable-database.ts";

const marker = Symbol.for("afterword.server.schema-mismatch");

function advice(found: number, known: number): string {
  if (found > known) return "run a newer server, or restore a backup";
  if (found === 0) return "begin with `project create`, or start the server";
  return "stop the servers of the older version and start the server of this version once: it migrates";
}

/** The schema of the database is not the one that this program works with; nothing was changed. */
export class SchemaMismatch extends UnusableDatabase {
  readonly [marker] = true;
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

  static override isInstance(error: unknown): error is SchemaMismatch {
    return typeof error === "object" && error !== null && marker in error;
  }
}
