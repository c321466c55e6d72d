import { AfterwordError } from "./afterword-error.ts";

/** @throws AfterwordError that names the missing argument. */
export function requireText(names: string, ...given: unknown[]) {
  if (!given.every((text) => text && typeof text === "string")) {
    throw new AfterwordError("invalid_argument", `${names} must be text`);
  }
}
