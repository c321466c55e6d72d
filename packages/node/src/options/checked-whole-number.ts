import { ConfigurationError } from "../errors/afterword-error.ts";

/** Returns a whole number in its range. Throws a `ConfigurationError` that names the option otherwise. */
export function checkedWholeNumber(
  name: string,
  value: number,
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`;
  throw new ConfigurationError(`${name} is ${value}; it must be a whole number ${range}.`);
}
