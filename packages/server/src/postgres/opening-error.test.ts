import { describe, expect, it } from "vitest";
import { StoreUnavailable, UnusableDatabase } from "@afterword/reference-server/internal";
import { parseDatabaseUrl } from "./database-url.ts";
import { openingError } from "./postgres-error.ts";

const settings = parseDatabaseUrl("postgres://me:secret@db.example:5433/afterword?pool_size=3");
const failure = (code: string) => Object.assign(new Error("of the driver"), { code });
const unavailable = (reason: string, code: string) => new StoreUnavailable(reason, { cause: failure(code) });

describe("a PostgreSQL database that cannot be opened", () => {
  it.each([
    [
      "ECONNREFUSED",
      "the connection failed",
      "Check that PostgreSQL runs there, that this machine may reach it",
    ],
    ["ENOTFOUND", "the connection failed", "the host and port of the URL"],
    ["28P01", "it refuses the user or the password", "Check user and password"],
    ["3D000", "there is no database of this name", "Create it, or correct its name"],
    ["57P03", "it is starting", ""],
  ])("with %s is named by host and port, and says what to check", (code, reason, advice) => {
    const { message } = openingError(unavailable(reason, code), settings) as Error;
    expect(message).toContain(`The database cannot answer now: ${reason} at db.example:5433 (${code}).`);
    expect(message).toContain(advice);
    expect(message).not.toMatch(/secret|me:/);
  });

  it("is named by what the driver takes when the URL does not say it", () => {
    const { message } = openingError(
      unavailable("the connection failed", "ECONNREFUSED"),
      parseDatabaseUrl("postgres:///afterword?host=::1&port=6000"),
    ) as Error;
    expect(message).toContain("the connection failed at [::1]:6000 (ECONNREFUSED).");
  });

  it("is told in the words of its own fault when it is unsafe, and as it is when it is something else", () => {
    const unsafe = new UnusableDatabase("fsync is off");
    expect(openingError(new StoreUnavailable("fsync is off", { cause: unsafe }), settings)).toBe(unsafe);
    const other = new TypeError("a bug");
    expect(openingError(other, settings)).toBe(other);
  });
});
