import { type PoolConfig } from "pg";
import { UnusableDatabase } from "@afterword/reference-server/internal";

export interface DatabaseSettings {
  connection: PoolConfig;
  /** Names of the parameters that go to the driver. */
  given: readonly string[];
  /** Connections for requests; long work has a few of its own beside them. */
  poolSize: number;
  connectionInMs: number;
  /** A database that loses acknowledged answers in a power cut is taken as it is. */
  allowUnsafeDurability: boolean;
}

const mistake = (message: string) => new UnusableDatabase(message, { isSettingWrong: true });

const defaultPoolSize = 10;
const defaultConnectionInSeconds = 5;

function wholeNumber(url: URL, name: string, absent: number): number {
  const text = url.searchParams.get(name);
  if (text === null) return absent;
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text);
  throw mistake(`${name} in the database URL has to be a whole number from 1 to 9999.`);
}

function allowsUnsafe(text: string | null): boolean {
  if (text === null || text === "safe") return false;
  if (text === "unsafe") return true;
  throw mistake("durability in the database URL has to be safe or unsafe.");
}

/**
 * Reads `postgres://user:password@host:port/database?parameters`. Parameters of our own are `pool_size` (default 10),
 * `connect_timeout` (seconds, default 5) and `durability` (default safe); all others, such as `sslmode`, go to the
 * driver.
 *
 * @throws UnusableDatabase that never repeats the URL, which may hold a password
 */
export function parseDatabaseUrl(database: string): DatabaseSettings {
  if (!URL.canParse(database))
    throw mistake("The database URL cannot be read: postgres://user@host:5432/name");
  const url = new URL(database);
  const settings = {
    poolSize: wholeNumber(url, "pool_size", defaultPoolSize),
    connectionInMs: 1000 * wholeNumber(url, "connect_timeout", defaultConnectionInSeconds),
    allowUnsafeDurability: allowsUnsafe(url.searchParams.get("durability")),
  };
  for (const name of ["pool_size", "connect_timeout", "durability"]) url.searchParams.delete(name);
  return { ...settings, connection: { connectionString: url.href }, given: [...url.searchParams.keys()] };
}
