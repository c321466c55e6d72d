import { type PoolConfig } from "pg";
import * as z from "zod";
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

const wholeNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,3}$/, "a whole number from 1 to 9999")
  .transform(Number);

const ownParameters = z.object({
  pool_size: wholeNumber.default(10),
  connect_timeout: wholeNumber.default(5),
  durability: z.enum(["safe", "unsafe"], "safe or unsafe").default("safe"),
});

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
  const { data, error } = ownParameters.safeParse(Object.fromEntries(url.searchParams));
  if (error) {
    const [{ path, message }] = error.issues as [z.core.$ZodIssue];
    throw mistake(`${String(path[0])} in the database URL has to be ${message}.`);
  }
  for (const name of Object.keys(data)) url.searchParams.delete(name);
  return {
    poolSize: data.pool_size,
    connectionInMs: 1000 * data.connect_timeout,
    allowUnsafeDurability: data.durability === "unsafe",
    connection: { connectionString: url.href },
    given: [...url.searchParams.keys()],
  };
}
