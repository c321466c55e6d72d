import { UnusableDatabase } from "../unusable-database.ts";

const marker = Symbol.for("afterword.server.unsafe-database");

/** The database would lose acknowledged answers, or cannot hold them; an operator has to change it. */
export class UnsafeDatabase extends UnusableDatabase {
  readonly [marker] = true;

  constructor(fault: string) {
    super(fault);
    this.name = "UnsafeDatabase";
  }

  static override isInstance(error: unknown): error is UnsafeDatabase {
    return typeof error === "object" && error !== null && marker in error;
  }
}
