import { describe, expect, it } from "vitest";
import { StoreUnavailable, UnusableDatabase } from "@afterword/reference-server/internal";
import { isBrokenConnection, isCollision, storeError } from "./postgres-error.ts";

const failure = (code: string, message = "of the database") => Object.assign(new Error(message), { code });

describe("an error of PostgreSQL", () => {
  it.each([
    ["08006", "the connection failed"],
    ["25006", "it is read-only"],
    ["40001", "too many transactions collide"],
    ["53100", "no more connections, memory or disk"],
    ["53300", "no more connections, memory or disk"],
    ["55P03", "another transaction holds a lock"],
    ["57014", "gave up on a slow statement"],
    ["57P01", "it is starting, stopping"],
    ["58030", "its disk cannot be read or written"],
    ["ECONNREFUSED", "the connection failed"],
    ["EAI_AGAIN", "the connection failed"],
  ])("%s passes: callers should come again, because %s", (code, reason) => {
    const cause = failure(code);
    const error = storeError(cause);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect((error as Error).message).toContain(reason);
    expect((error as Error).cause).toBe(cause);
  });

  it.each(["23505", "42P01", "22021", "XX000", "ERR_INVALID_ARG_TYPE"])(
    "%s is a bug and stays what it is",
    (code) => {
      const error = failure(code);
      expect(storeError(error)).toBe(error);
    },
  );

  it.each([
    "Connection terminated unexpectedly",
    "timeout exceeded when trying to connect",
    "Query read timeout",
    "Client has encountered a connection error and is not queryable",
  ])("of the driver, %j, is a lost connection", (message) => {
    expect(storeError(new Error(message))).toBeInstanceOf(StoreUnavailable);
  });

  it("that only talks about connections is none of them", () => {
    const error = new Error("This project's connection timeout is closed");
    expect(storeError(error)).toBe(error);
  });

  it("is worth another try where the connection broke, not where nobody answered for long", () => {
    expect(isBrokenConnection(failure("57P01"))).toBe(true);
    expect(isBrokenConnection(failure("ECONNRESET"))).toBe(true);
    expect(isBrokenConnection(new Error("Query read timeout"))).toBe(false);
    expect(isBrokenConnection(failure("23505"))).toBe(false);
    expect(isBrokenConnection("no error")).toBe(false);
  });

  it("is a collision when it was rolled back because of another transaction", () => {
    expect([failure("40001"), failure("40P01")].every(isCollision)).toBe(true);
    expect(isCollision(failure("23505"))).toBe(false);
  });

  it("of a database that turned unsafe is unavailable, and an unavailable one stays as it is", () => {
    expect(storeError(new UnusableDatabase("fsync is off"))).toMatchObject({ name: "StoreUnavailable" });
    const unavailable = new StoreUnavailable("busy");
    expect(storeError(unavailable)).toBe(unavailable);
  });
});
