import * as z from "zod";
import { limits } from "./limits.ts";
import { identifier, liveRespondentId, storableText } from "./strings.ts";
import { keyInQuery, publishableKey } from "./token.ts";
import { traits, type Traits } from "./traits.ts";

/** How well the respondent is known (contract section 1). */
export type IdentityKind = "identified" | "anon-device" | "anon-conversation";

/** A rating (contract section 2.4). Lengths are in code points. */
export interface ResponseBody {
  showToken: string;
  surveyId: string;
  /** Integer 0 to 10; the survey's own scale is checked once the survey is loaded. */
  rating: number;
  /** At most 10,000. */
  text?: string;
  followUpRequested?: boolean;
  /** Unproven: the token's respondent takes precedence. */
  userId?: string;
  traits?: Traits;
  key?: string;
  /** Must equal what a session-bound token attests. */
  sessionId?: string;
  observationId?: string;
  taskType?: string;
  identityKind?: IdentityKind;
}

/** The person closed the survey without rating (contract section 2.5). */
export interface DismissalBody {
  showToken: string;
  surveyId: string;
  userId: string;
  key?: string;
}

/** A rating or dismissal was stored (contract section 2.6). */
export interface IngestOk {
  ok: true;
  id: string;
  /** RFC 3339, the server's clock. */
  at: string;
}

export const keyQuery = z.object({ key: keyInQuery });

const tokenSurvey = z.string().min(1).describe("The survey that the token is for.");
const attested = (name: string) =>
  identifier(256).describe(`Must equal the ${name} that a session-bound token attests; may be left out.`);

export const responseBody = z.object({
  showToken: z.string().min(1),
  surveyId: tokenSurvey,
  rating: z
    .int()
    .min(0)
    .max(10)
    .describe("Within the scale of the survey's type, see SurveyDefinition.")
    // -0 is a legal JSON number, but is stored as 0.
    .transform((rating) => rating + 0),
  text: z.string().max(limits.textLength).transform(storableText).optional(),
  followUpRequested: z.boolean().optional(),
  userId: liveRespondentId().optional(),
  traits: traits.optional(),
  key: publishableKey.optional(),
  sessionId: attested("session").optional(),
  observationId: attested("observation").optional(),
  taskType: identifier(128).optional(),
  identityKind: z.enum(["identified", "anon-device", "anon-conversation"]).optional(),
});

export const dismissalBody = z.object({
  showToken: z.string().min(1),
  surveyId: tokenSurvey,
  userId: liveRespondentId(),
  key: publishableKey.optional(),
});

export const ingestOk = z.object({ ok: z.literal(true), id: z.string(), at: z.iso.datetime() });
