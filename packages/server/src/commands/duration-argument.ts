import { durationInMs, type Duration } from "@afterword/protocol/duration";
import { InvalidArgumentError } from "commander";

interface DurationLimits {
  /** The text that means 0. Default: none. */
  zero?: string;
  longest?: Duration;
}

/** A parser of durations such as `30d`, in milliseconds. */
export function durationArgument({ zero, longest }: DurationLimits = {}): (text: string) => number {
  const longestInMs = durationInMs(longest ?? "") ?? Infinity;
  return (text) => {
    const parsed = text === zero ? 0 : durationInMs(text);
    if (parsed !== undefined && parsed <= longestInMs) return parsed;
    const bounds = [zero && `, or ${zero}`, longest && `; at most ${longest}`].filter(Boolean).join("");
    throw new InvalidArgumentError(
      `Pass a whole number with s, m, h or d, such as ${longest ?? "30d"}${bounds}. It must be more than 0.`,
    );
  };
}
