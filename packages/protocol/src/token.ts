import * as z from "zod";
import { mintedRun, type MintedRun } from "./run.ts";
import { limits } from "./limits.ts";
import { identifier, liveRespondentId } from "./strings.ts";
import { surveyDefinition, type SurveyDefinition } from "./survey.ts";
import { traits, type Traits } from "./traits.ts";

/** The optional body of a bootstrap request (contract section 4.1). */
export interface BootstrapBody {
  /** Publishable key; may be in the query instead. */
  key?: string;
  /** Respondent id; `null` counts as absent. */
  userId?: string | null;
  traits?: Traits;
}

/** The active surveys, the respondent's suppression, and a show-token per survey that they may be asked. */
export interface BootstrapReply {
  surveys: SurveyDefinition[];
  /** Ids of the surveys that the respondent has answered or dismissed. */
  suppression: string[];
  /** Survey id to single-use show-token. A survey that is missing here is gated and must not be shown. */
  showTokens?: Record<string, string>;
  /** What the service wants pages to report beside ratings and dismissals: `shown` for `POST /v1/shown`. An extension. */
  reports?: string[];
}

/** The body of a mint request, sent by a customer's server after an agent's task (contract section 4.4). */
export interface MintBody {
  /** 1 to 256 code points. */
  respondentId: string;
  /** The authoritative session of the observability service; 1 to 256 code points. */
  sessionId: string;
  observationId?: string | undefined;
  /** Display metadata for segmentation; 1 to 128 code points. */
  taskType?: string | undefined;
  /** Mint only for this active survey. Default: all of them. */
  surveyId?: string | undefined;
  /** What is known about the run; an extension that other servers ignore. */
  run?: MintedRun | undefined;
}

/**
 * Why a survey got no token; an extension that may gain values. `gated`: the respondent must not be asked now. `maximum`: the
 * survey has all the responses that it wants. `not_sampled`: the run is not among those that the survey asks about.
 */
export type MintReason = "gated" | "maximum" | "not_sampled" | "survey_inactive" | "survey_unknown";

/** Session-bound show-tokens by survey id; empty when the respondent is gated, which is not an error. */
export interface MintReply {
  tokens: Record<string, string>;
  suppression: string[];
  /** Of each survey without a token, why; absent if all have one, and from servers that do not say. */
  reason?: Record<string, MintReason>;
  /** RFC 3339, the server's clock; equals the moment inside the tokens. */
  issuedAt: string;
  /** As in `BootstrapReply`, for clients that mint and never bootstrap. */
  reports?: string[];
}

/** The body of a check (contract section 4.10): either `showToken` or `showTokens`. */
export interface TokenCheckBody {
  showToken?: string;
  /** 1 to 100 show-tokens. */
  showTokens?: string[];
  key?: string;
}

/** Whether a show-token can still be used, and which survey it is for. */
export interface TokenCheck {
  state: "fresh" | "used" | "expired";
  surveyId: string;
  /** The rating that used the token, or another one of its run; an extension, for session-bound tokens alone. */
  answer?: { rating: number; at: string };
}

/** One check for `showToken`; for `showTokens` one each, in their order. */
export type TokenCheckReply = TokenCheck | { tokens: (TokenCheck | { state: "unknown" })[] };

/** Says that a survey was at least half visible for a second (contract section 4.11). */
export interface ShownBody {
  showToken: string;
  key?: string;
}

/** Whether the token was counted before is not said. */
export interface ShownReply {
  ok: true;
}

export const publishableKey = z
  .string()
  .min(1)
  .describe("Publishable key, in the body or the query; if they differ, 400 `invalid_body`.");

export const keyInQuery = publishableKey.optional();

export const bootstrapBody = z.object({
  key: publishableKey.optional(),
  userId: liveRespondentId().nullable().optional(),
  traits: traits.optional(),
});

export const bootstrapQuery = z.object({
  key: keyInQuery,
  userId: liveRespondentId()
    .optional()
    .describe(
      "Respondent id; without it nothing is suppressed. If the body has another one, 400 `invalid_body`.",
    ),
});

const reports = z
  .array(z.string())
  .optional()
  .describe("What pages are to report beside ratings and dismissals; values may be added. Absent: nothing.");

export const bootstrapReply = z.object({
  surveys: z.array(surveyDefinition),
  suppression: z.array(z.string()),
  showTokens: z.record(z.string(), z.string()).optional(),
  reports,
});

export const mintBody = z.object({
  respondentId: liveRespondentId(256),
  sessionId: identifier(256),
  observationId: identifier(256).optional(),
  taskType: identifier(128).optional(),
  surveyId: identifier().optional(),
  run: mintedRun.optional().describe("What is known about the run: kept with the response."),
});

export const mintReply = z.object({
  tokens: z.record(z.string(), z.string()),
  suppression: z.array(z.string()),
  reason: z
    .record(z.string(), z.enum(["gated", "maximum", "not_sampled", "survey_inactive", "survey_unknown"]))
    .optional()
    .describe("Of each survey without a token, why. Absent if all have one; values may be added."),
  issuedAt: z.iso.datetime(),
  reports,
});

const showToken = z.string().min(1);

export const tokenCheckBody = z
  .object({
    showToken: showToken.optional(),
    showTokens: z.array(showToken).min(1).max(limits.checkedTokens).optional(),
    key: publishableKey.optional(),
  })
  .refine((body) => (body.showToken === undefined) !== (body.showTokens === undefined), {
    message: "send either showToken or showTokens",
    path: ["showToken"],
    // A body without either is wrong whatever its key is.
    when: ({ issues }) => issues.every(({ path }) => path?.[0] === "key"),
  })
  .meta({ oneOf: [{ required: ["showToken"] }, { required: ["showTokens"] }] });

export const tokenCheck = z.object({
  state: z.enum(["fresh", "used", "expired"]),
  surveyId: z.string(),
  answer: z
    .object({ rating: z.number(), at: z.iso.datetime() })
    .optional()
    .describe("The rating that used the token, or another one of its run. Only for session-bound tokens."),
});

export const tokenCheckReply = z.union([
  tokenCheck,
  z.object({ tokens: z.array(z.union([tokenCheck, z.object({ state: z.literal("unknown") })])) }),
]);

export const shownBody = z.object({ showToken: z.string().min(1), key: publishableKey.optional() });

export const shownReply = z.object({ ok: z.literal(true) });
