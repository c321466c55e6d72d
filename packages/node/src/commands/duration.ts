import { ConfigurationError } from "../errors/configuration-error.ts";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `500ms`, `2s`, `5m` or `1h`. Throws a `ConfigurationError` for anything else. */
export function durationInMs(text: string): number {
  const [, amount, unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const factor = units[unit];
  if (amount !== undefined && factor !== undefined) return Number(amount) * factor;
  throw new ConfigurationError(
    `"${text}" is not a duration; write a whole number and ms, s, m or h, such as 2s.`,
  );
}
