/** The reason that an operator can end, and that `/readyz` shows. */
export const diskFull = "the disk is full";

/** The database cannot answer now (busy, full, gone); nothing was stored. Becomes 503. */
export class StoreUnavailable extends Error {
  /** The message without its beginning. */
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`The database cannot answer now: ${reason}`, options);
    this.reason = reason;
    this.name = "StoreUnavailable";
  }
}

/** The database cannot be used as it is, and nothing was changed; the message says what to do. */
export class UnusableDatabase extends Error {
  /** Whether the `--db` setting itself is wrong. Default: the setting is right, and the database is not. */
  readonly isSettingWrong: boolean;

  constructor(
    message: string,
    { isSettingWrong = false, ...options }: ErrorOptions & { isSettingWrong?: boolean } = {},
  ) {
    super(message, options);
    this.name = "UnusableDatabase";
    this.isSettingWrong = isSettingWrong;
  }
}

function advice(found: number, known: number): string {
  if (found > known) return "run a newer server, or restore a backup";
  if (found === 0) return "begin with `project create`, or start the server";
  return "start the server of this version once: it migrates";
}

/** The schema of the database is not the one that this program works with; nothing was changed. */
export class SchemaMismatch extends UnusableDatabase {
  /** The version of the database (0 when it is empty), the newest one that this program knows, and what to do. */
  readonly versions: Readonly<{ found: number; known: number; advice: string }>;

  constructor(found: number, known: number) {
    super(`The database has version ${found} and this server knows ${known}: ${advice(found, known)}.`);
    this.name = "SchemaMismatch";
    this.versions = { found, known, advice: advice(found, known) };
  }
}

/**
 * The changes that opening may make to the schema of a database: `migrate` lifts it to the newest, `create` makes it in an empty
 * database, `none` leaves it as it is, so that a look at a database does not change it below an older server.
 */
export type SchemaChange = "migrate" | "create" | "none";

/** The version of a database's schema, and the oldest server that may use it. */
export interface SchemaVersion {
  /** 0 when it is empty. */
  version: number;
  /** The oldest version whose servers work on it as well. Default: `version` alone does. */
  oldest?: number | null;
}

/**
 * @param found in the database
 * @param known the newest version
 * @throws SchemaMismatch when what was found can neither be used nor changed
 */
export function assertSchema(found: SchemaVersion, known: number, change: SchemaChange): void {
  const { version } = found;
  const isAllowed = change === "migrate" || (change === "create" && version === 0);
  const isUsable = version > known ? (found.oldest ?? version) <= known : version === known || isAllowed;
  if (!isUsable) throw new SchemaMismatch(version, known);
}
