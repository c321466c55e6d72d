import pg from "pg";
import { StoreUnavailable } from "../store.ts";
import { type DatabaseSettings } from "./database-url.ts";
import { UnsafeDatabase } from "./unsafe-database.ts";

const codeOf = (error: unknown) => String((error as { code?: unknown } | undefined)?.code ?? "");

/** What to check, by the beginning of the SQLSTATE. Without one, PostgreSQL did not answer. */
const advice: readonly (readonly [RegExp, string])[] = [
  [/^28/, "Check user and password in the database URL, and who may log in there (pg_hba.conf)."],
  [/^3D/, "Create it, or correct its name in the database URL."],
  [
    /^(|E.*)$/,
    "Check that PostgreSQL runs there, that this machine may reach it, and the host and port of the URL.",
  ],
];

/** Where the driver connects to; it reads the environment where the URL names no host. */
function placeOf({ connection }: DatabaseSettings): string {
  const { host, port } = new pg.Client(connection);
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The error that an operator sees: host and port, and what to check. Never the URL, which may hold a password. */
export function openingError(error: unknown, settings: DatabaseSettings): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  if (UnsafeDatabase.isInstance(cause)) return cause;
  if (!StoreUnavailable.isInstance(error)) return error;
  const code = codeOf(cause);
  const found = advice.find(([codes]) => codes.test(code))?.[1];
  const reason = `${error.reason} at ${placeOf(settings)}${code && ` (${code})`}.`;
  return new StoreUnavailable(found ? `${reason} ${found}` : reason, { cause });
}
