import { durationInMs as longDurationInMs } from "@afterword/protocol/duration";
import { ConfigurationError } from "../errors/configuration-error.ts";

/** Milliseconds of a duration such as `500ms`, `2s`, `5m` or `1h`. Throws a `ConfigurationError` for anything else. */
export function durationInMs(text: string): number {
  // The service's durations are long, and none of them is nothing.
  const parsed = /^(\d{1,9}ms|0s)$/.test(text) ? Number.parseInt(text, 10) : longDurationInMs(text);
  if (parsed !== undefined) return parsed;
  throw new ConfigurationError(
    `"${text}" is not a duration; write a whole number and ms, s, m, h or d, such as 2s.`,
  );
}
