import { durationInMs } from "@afterword/protocol/duration";
import * as z from "zod";

/** A duration in a config file. */
export function duration(longestInMs = Infinity, longest = "") {
  return z
    .string()
    .refine(
      (text) => durationInMs(text) !== undefined,
      "is not a whole number with s, m, h or d, such as 30d",
    )
    .refine((text) => (durationInMs(text) ?? 0) <= longestInMs, `is longer than ${longest}`);
}
