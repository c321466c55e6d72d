import * as z from "zod";
import { limits } from "./limits.ts";
import { scoredRun, type ScoredRun } from "./run.ts";
import { identifier } from "./strings.ts";

/** A linked rating that is waiting to be pushed to the observability service (contract section 2.7). */
export interface PendingScore {
  id: string;
  surveyId: string;
  /** RFC 3339, when it was stored. */
  at: string;
  sessionId?: string | null;
  observationId?: string | null;
  rating?: number | null;
  /** The person's own words: personal data. */
  text?: string | null;
  taskType?: string | null;
  /** What the mint attested about the run; an extension, absent where there is nothing. */
  run?: ScoredRun;
  /** The rating is a thumb, 1 for down or 5 for up; an extension, absent for ratings of all other surveys. */
  thumbs?: true;
}

export interface PendingScoresQuery {
  /** Page size, 1 to 100; default 50; more is treated as 100. */
  limit?: number;
  /** Also list scores that were acknowledged as failed. */
  includeFailed?: "true";
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /**
   * An extension: seconds that the listed scores are kept from other consumers, 1 to 300; 0 gives back all that this
   * consumer holds. Only together with `consumer`.
   */
  lease?: number;
  /** Random id of the process that polls, 1 to 64 characters; only together with `lease`. */
  consumer?: string;
}

export interface PendingScoresReply {
  /** Oldest first. */
  scores: PendingScore[];
  /** Absent on the last page. */
  nextCursor?: string;
  /** The lease of the request, in seconds. Absent from servers that offer no leases. */
  lease?: number;
  /** What other consumers hold; only in the reply to a request with `lease`. */
  leased?: Leased;
}

/** Scores that other consumers of the queue have leased. */
export interface Leased {
  /** How many scores of the whole queue, whatever page was asked for. */
  count: number;
  /** RFC 3339, when the last of these leases ends if it is not renewed; `null` without any. */
  until: string | null;
}

/** What became of one score at a sink, for its acknowledgement. */
export interface ScoreResult {
  id: string;
  state: "delivered" | "failed";
  /** Why the sink refused the score, without personal data; an extension that other servers ignore. */
  reason?: string;
}

/** 1 to 200 results. */
export interface AckBody {
  results: ScoreResult[];
}

export interface AckReply {
  ok: true;
  /** Scores whose state changed; ids that are unknown or another project's are ignored. */
  updated: number;
}

/** Only plain decimals: `Number("")` is 0 and `Number("0x10")` is 16. */
const pageSize = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/)
  .transform((value) => Math.min(Number(value), limits.pageSize))
  .meta({ type: "integer", minimum: 1, maximum: 999_999_999 });

const lease = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,2})$/)
  .refine((value) => Number(value) <= limits.leaseInSeconds, `is more than ${limits.leaseInSeconds}`)
  .transform(Number)
  .meta({ type: "integer", minimum: 0, maximum: limits.leaseInSeconds });

const leaseFields = {
  lease: lease
    .optional()
    .describe(
      "Seconds that the listed scores are kept from other consumers, 1 to 300; 0 gives back what this consumer holds. Only with `consumer`.",
    ),
  consumer: identifier(limits.consumer)
    .optional()
    .describe("Random id of the process that polls. Only with `lease`."),
};

export const pendingScoresQuery = z
  .object({
    limit: pageSize.optional().describe("Page size, 1 to 100; more counts as 100. Default 50."),
    includeFailed: z
      .literal("true")
      .optional()
      .describe("Also list scores that were acknowledged as failed."),
    cursor: z.string().meta({ minLength: 1 }).optional().describe("`nextCursor` of the previous page."),
    ...leaseFields,
  })
  .refine(
    ({ lease, consumer }) => (lease === undefined) === (consumer === undefined),
    "send both lease and consumer, or neither",
  );

export const pendingScore = z.object({
  id: z.string(),
  surveyId: z.string(),
  at: z.iso.datetime(),
  sessionId: z.string().nullish(),
  observationId: z.string().nullish(),
  rating: z.number().nullish(),
  text: z.string().nullish(),
  taskType: z.string().nullish(),
  run: scoredRun.optional(),
  thumbs: z.literal(true).optional().describe("The rating is a thumb: 1 for down, 5 for up."),
});

export const pendingScoresReply = z.object({
  scores: z.array(pendingScore),
  nextCursor: z.string().optional(),
  lease: z.int().optional(),
  leased: z
    .object({ count: z.int().min(0), until: z.iso.datetime().nullable() })
    .optional()
    .describe("How many scores other consumers hold, and until when at the latest. Only with `lease`."),
});

export const ackBody = z.object({
  results: z
    .array(
      z.object({
        id: z.string().min(1).max(128),
        state: z.enum(["delivered", "failed"]),
        reason: identifier(limits.reason).optional(),
      }),
    )
    .min(1)
    .max(limits.results),
});

export const ackReply = z.object({ ok: z.literal(true), updated: z.int().min(0) });
