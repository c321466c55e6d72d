import { describe, expect, it } from "vitest";
import { isPostgresUrl, UnusableDatabase } from "@afterword/reference-server/internal";
import { parseDatabaseUrl } from "./database-url.ts";

const url = "postgres://me:secret@db.example:5433/afterword";

function errorOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It was taken.");
}

describe("a database URL", () => {
  it.each(["postgres://db/afterword", "postgresql://db/afterword"])("%s means PostgreSQL", (database) => {
    expect(isPostgresUrl(database)).toBe(true);
  });

  it.each(["afterword.db", ":memory:", "./postgres.db", "/postgres://x", "mysql://db/afterword"])(
    "%s does not",
    (database) => expect(isPostgresUrl(database)).toBe(false),
  );

  it("has ten connections, five seconds to connect, and a database that keeps what it acknowledged", () => {
    expect(parseDatabaseUrl(url)).toEqual({
      connection: { connectionString: url },
      poolSize: 10,
      connectionInMs: 5000,
      allowUnsafeDurability: false,
      given: [],
    });
  });

  it("keeps our parameters and passes all others to the driver", () => {
    const settings = parseDatabaseUrl(
      `${url}?pool_size=3&sslmode=require&durability=unsafe&connect_timeout=2`,
    );
    expect(settings).toMatchObject({ poolSize: 3, connectionInMs: 2000, allowUnsafeDurability: true });
    expect(settings.connection.connectionString).toBe(`${url}?sslmode=require`);
  });

  it.each([
    "pool_size=0",
    "pool_size=1.5",
    "pool_size=",
    "connect_timeout=-1",
    "durability=",
    "durability=off",
  ])("with ?%s is refused, by name and without the password", (parameter) => {
    const read = () => parseDatabaseUrl(`${url}?${parameter}`);
    const error = errorOf(read);
    expect(error instanceof UnusableDatabase && error.isSettingWrong).toBe(true);
    expect(error.message).toContain(parameter.split("=")[0]!);
    expect(error.message).not.toContain("secret");
  });

  it("that cannot be read is refused without being repeated", () => {
    const error = errorOf(() => parseDatabaseUrl("postgres://me:secret@:port"));
    expect(error.message).toMatch(/^The database URL cannot be read/);
    expect(error.message).not.toContain("secret");
  });
});
