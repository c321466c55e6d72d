import { type Duration } from "@afterword/protocol";
import { durationInMs } from "@afterword/protocol/duration";
import * as z from "zod";
import { duration } from "./duration.ts";

/** When a survey may be asked again of a person who has answered or dismissed it. */
export type AskAgainConfig =
  | "never"
  /**
   * Once both times have passed: `after` since the last answer, `afterDismissal` (default: `after`) since the last
   * dismissal. Each at least 8 days.
   */
  | { after: Duration; afterDismissal?: Duration }
  /** Once in each run that tokens are minted for, except for `afterDismissal` (default `7d`) after a dismissal. */
  | { eachRun: true; afterDismissal?: Duration };

/** The outbox of an SDK renews expired tokens for seven days, and could otherwise store one answer twice. */
const shortestInMs = 8 * 24 * 60 * 60_000;

const tooShort = "is shorter than 8d: an answer that waits on a device for a week could be stored twice";
const kinds = 'is neither "never" nor { "after": "90d" } nor { "eachRun": true }';

const policy = z
  .strictObject(
    {
      after: duration().optional(),
      eachRun: z.literal(true, { error: "is not true" }).optional(),
      afterDismissal: duration().optional(),
    },
    { error: ({ code }) => (code === "invalid_type" ? kinds : undefined) },
  )
  .superRefine(({ after, eachRun, afterDismissal }, context) => {
    const mistake = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (after === undefined && eachRun === undefined) mistake("after", "is missing, and so is eachRun");
    if (after !== undefined && eachRun !== undefined) mistake("eachRun", "cannot stand beside after");
    if (eachRun !== undefined) return;
    for (const [field, text] of Object.entries({ after, afterDismissal })) {
      if (text !== undefined && (durationInMs(text) ?? Infinity) < shortestInMs) mistake(field, tooShort);
    }
  });

// The refinement has seen to it that one of the two is there.
export const askAgain = z.union([z.literal("never"), policy as unknown as z.ZodType<AskAgainConfig>]);
