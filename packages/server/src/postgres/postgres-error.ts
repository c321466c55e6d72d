import pg from "pg";
import { StoreUnavailable, UnusableDatabase } from "@afterword/reference-server/internal";
import { type DatabaseSettings } from "./database-url.ts";

// SQLSTATE by its first two or all five characters: conditions that pass, or that an operator can end.
const passing: Readonly<Record<string, string>> = {
  "08": "the connection failed",
  "25006": "it is read-only, as a standby is",
  "25P03": "a transaction stood idle for too long",
  "28": "it refuses the user or the password",
  "3D000": "there is no database of this name",
  "40001": "too many transactions collide",
  "40P01": "too many transactions collide",
  "53": "it has no more connections, memory or disk",
  "55P03": "another transaction holds a lock",
  "57": "it is starting, stopping, or gave up on a slow statement",
  "58": "its disk cannot be read or written",
};

const sqlState = /^[0-9][0-9A-Z]{4}$|^[A-Z][0-9][0-9A-Z]{3}$/;

/** Codes of the operating system, such as ECONNRESET and EAI_AGAIN. */
const systemError = /^E(AI_)?[A-Z0-9]+$/;

/** Messages of the driver that come without any code. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered|was closed)|Cannot use a pool)/;

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Whether another transaction made this one roll back, so that running it again is safe and likely to succeed. */
export function isCollision(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error));
}

/** Whether the connection was lost, so that the outcome of the last statement is unknown. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (sqlState.test(code)) return code.startsWith("08") || code.startsWith("57P");
  return systemError.test(code) || (code === "" && lostConnection.test(error.message));
}

/** Whether a new connection may succeed at once: this one broke, it did not time out. */
export function isBrokenConnection(error: unknown): boolean {
  return isLostConnection(error) && !/timeout/i.test((error as Error).message);
}

/** The error that callers of the store see. */
export function storeError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  if (error instanceof UnusableDatabase) return new StoreUnavailable(error.message, { cause: error });
  const code = codeOf(error);
  const reason = passing[code] ?? passing[code.slice(0, 2)];
  if (sqlState.test(code)) return reason ? new StoreUnavailable(reason, { cause: error }) : error;
  return isLostConnection(error) ? new StoreUnavailable("the connection failed", { cause: error }) : error;
}

/** What to check, by the beginning of the SQLSTATE. Without one, PostgreSQL did not answer. */
const advice: readonly (readonly [RegExp, string])[] = [
  [/^28/, "Check user and password in the database URL, and who may log in there (pg_hba.conf)."],
  [/^55P03/, "Start again when it has ended: a migration does not wait for a long reader, such as pg_dump."],
  [/^3D/, "Create it, or correct its name in the database URL."],
  [
    /^(|E.*)$/,
    "Check that PostgreSQL runs there, that this machine may reach it, and the host and port of the URL.",
  ],
];

/** Where the driver connects to; it reads the environment where the URL names no host. */
function hostAndPort({ connection }: DatabaseSettings): string {
  const { host, port } = new pg.Client(connection);
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The error that an operator sees: host and port, and what to check. Never the URL, which may hold a password. */
export function openingError(error: unknown, settings: DatabaseSettings): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof UnusableDatabase) return cause;
  if (codeOf(error) === "42501") {
    const { message } = error as Error;
    const remedy = /for (table|sequence)/.test(message)
      ? "Grant its rows to the role, as the page about databases says."
      : "First run `afterword-server migrate --db URL` with the URL of the database's owner: it makes and changes the tables.";
    return new UnusableDatabase(`The role of the database URL may not do this: ${message}. ${remedy}`, {
      cause: error,
    });
  }
  if (!(error instanceof StoreUnavailable)) return error;
  const code = codeOf(cause);
  if (/statement pooling/.test((cause as Error | undefined)?.message ?? ""))
    return new UnusableDatabase(
      `The pooler at ${hostAndPort(settings)} allows no transactions (pool_mode = statement). Put the address of its ` +
        "transaction or session pool, or of PostgreSQL itself, into the database URL.",
      { cause, isSettingWrong: true },
    );
  if (/no encryption$/m.test((cause as Error | undefined)?.message ?? ""))
    return new StoreUnavailable(
      `it allows no connection without TLS at ${hostAndPort(settings)} (${code}). Add sslmode=verify-full to the ` +
        "database URL, and sslrootcert=FILE for a certificate authority of your own.",
      { cause },
    );
  const found = advice.find(([codes]) => codes.test(code))?.[1];
  const reason = `${error.reason} at ${hostAndPort(settings)}${code && ` (${code})`}.`;
  return new StoreUnavailable(found ? `${reason} ${found}` : reason, { cause });
}
