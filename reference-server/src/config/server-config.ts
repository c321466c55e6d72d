import { durationInMs } from "@afterword/protocol/duration";
import * as z from "zod";
import {
  type Duration,
  identifier,
  surveyDefinition,
  type SurveyDefinition,
  targetingRule,
} from "@afterword/protocol";
import { keyPrefixes, type KeyKind } from "../domain/api-key.ts";
import { type Sampling, type SurveyStatus } from "../store/project.ts";
import { longestLifetimeInMs } from "../domain/show-token.ts";
import { isOriginPattern } from "../domain/origins.ts";

/** Requests per minute, and the burst (default: all of them at once). */
export interface LimitConfig {
  perMinute: number;
  burst?: number;
}

/** Limits by name; one that is absent keeps its default. */
export interface RateLimitsConfig {
  /** Per client address, before the body is read; default 1,200, or four times `public` where that is more. */
  address?: LimitConfig;
  /** Public routes, per project and client address; default 300, 60 at once. */
  public?: LimitConfig;
  /** Public routes, per project; default 6,000. */
  project?: LimitConfig;
  /** Mint, per project; default 600. */
  mint?: LimitConfig;
  /** Pages of pending scores, per project; default 600. */
  pending?: LimitConfig;
  /** Acknowledgements, per project; default 600. */
  ack?: LimitConfig;
  /** Requests that fail authentication, per client address; default 60. */
  badAuth?: LimitConfig;
}

/** How often a person of the project is asked, and how many answers a survey takes. */
export interface GatingConfig {
  /** No new tokens for this long after any answer or dismissal. Default: off. */
  quietPeriod?: Duration;
  /** Answers and dismissals of one respondent within 30 days. Default: off. */
  monthlyCap?: number;
  /** Responses of each survey in total. Default: off. */
  surveyMaximum?: number;
}

/** A config may be written `as const`. */
type Unchanging<T> = T extends object ? { readonly [Name in keyof T]: Unchanging<T[Name]> } : T;

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

/** A survey as a config has it: what people see, and of whom and how often it asks. */
export interface SurveyConfig extends Unchanging<SurveyDefinition> {
  status: SurveyStatus;
  /** Responses of this survey in total; overrides the project's `surveyMaximum`. */
  maximum?: number;
  /** When a person who has answered or dismissed it may be asked again. Default `never`. */
  askAgain?: AskAgainConfig;
  /** The person takes the initiative, as with thumbs: quiet period and monthly cap do not apply. Default false. */
  unprompted?: boolean;
  /**
   * Asks only about some runs, chosen at mint by their facts; the survey is then asked by minted tokens alone. Not together with
   * a `samplePercent` below 100. Default: all runs.
   */
  sampling?: Unchanging<Sampling>;
}

/** A project as a config has it, with its keys, pages and surveys. */
export interface ProjectConfig {
  id: string;
  name: string;
  /** Begins with `aw_pk_`; generated at the first start when absent. */
  publishableKey?: string;
  /** Begins with `aw_sk_`; generated, and shown once, at the first start when absent. */
  secretKey?: string;
  /** Origins of pages that may call the public routes; none by default, `*` for all. */
  allowedOrigins: readonly string[];
  gating?: GatingConfig;
  surveys: readonly SurveyConfig[];
}

/** The config file. */
export interface ServerConfig {
  projects: readonly ProjectConfig[];
  /** Number of proxies whose X-Forwarded-For is trusted. Default 0. */
  trustedProxies?: number;
  /** Servers on one PostgreSQL, each of which allows its share of the limits. Default 1. */
  nodes?: number;
  /** `false` turns all limits off. Default: on. */
  rateLimits?: false | RateLimitsConfig;
  tokens?: {
    /** Default `24h`, at most `30d`. */
    unboundLifetime?: Duration;
    /** Default `7d`, at most `30d`. */
    boundLifetime?: Duration;
  };
}

/** A list whose entries differ in each of some fields, which is said together with all other mistakes. */
function distinct<Entry extends z.ZodType>(entry: Entry, ...fields: string[]) {
  const check = (entries: readonly unknown[], context: z.core.$RefinementCtx) => {
    for (const field of fields) {
      const values = entries.map((one) => (one as Record<string, unknown> | null | undefined)?.[field]);
      for (const [index, value] of values.entries()) {
        const first = values.indexOf(value);
        if (typeof value !== "string" || first === index) continue;
        context.addIssue({ code: "custom", path: [index, field], params: { first } });
      }
    }
  };
  return z.array(entry).superRefine(check, { when: ({ value }) => Array.isArray(value) });
}

function duration(longestInMs = Infinity, longest = "") {
  return z
    .string()
    .refine(
      (text) => durationInMs(text) !== undefined,
      "is not a whole number with s, m, h or d, such as 30d, that is more than 0",
    )
    .refine((text) => (durationInMs(text) ?? 0) <= longestInMs, `is longer than ${longest}`);
}

/** The outbox of an SDK renews expired tokens for seven days, and could otherwise store one answer twice. */
const shortestInMs = 8 * 24 * 60 * 60_000;

const tooShort = "is shorter than 8d: an answer that waits on a device for a week could be stored twice";
const kinds = 'is neither "never" nor { "after": "90d" } nor { "eachRun": true }';

const askAgainPolicy = z
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
    if (after !== undefined && eachRun !== undefined) mistake("eachRun", "cannot be combined with after");
    if (eachRun !== undefined) return;
    for (const [field, text] of Object.entries({ after, afterDismissal })) {
      if (text !== undefined && (durationInMs(text) ?? Infinity) < shortestInMs) mistake(field, tooShort);
    }
  });

// The refinement has seen to it that one of the two is there.
const askAgain = z.union([z.literal("never"), askAgainPolicy as unknown as z.ZodType<AskAgainConfig>]);

const positive = z.int().min(1).max(1_000_000_000);
const limit = z.strictObject({ perMinute: positive, burst: positive.optional() }).optional();
const lifetime = duration(longestLifetimeInMs, "30d").optional();

const leastKeyCharacters = 24;
const givenKey = (kind: KeyKind) =>
  z
    .string()
    .refine(
      (key) => key.startsWith(keyPrefixes[kind]) && /^[\x21-\x7e]{30,200}$/.test(key),
      `is not ${keyPrefixes[kind]} followed by at least ${leastKeyCharacters} characters`,
    )
    .optional();

const probability = z.number().min(0).max(1);

const sampling = z.strictObject({
  probability,
  strata: distinct(
    z.strictObject({
      name: identifier(64),
      when: z.array(targetingRule.strict()).min(1).max(50),
      probability,
    }),
    "name",
  )
    .max(20)
    .optional(),
});

const survey = z
  .strictObject({
    ...surveyDefinition.shape,
    status: z.enum(["active", "paused", "draft"]),
    maximum: positive.optional(),
    askAgain: askAgain.optional(),
    unprompted: z.boolean().optional(),
    sampling: sampling.optional(),
  })
  .refine(({ samplePercent = 100, ...others }) => others.sampling === undefined || samplePercent === 100, {
    path: ["samplePercent"],
    message: "cannot be combined with sampling: remove it, and lower the probabilities instead",
  })
  .refine(({ type, thumbs }) => !thumbs || type === "csat", {
    path: ["thumbs"],
    message: "is for surveys of type csat alone",
  });

const project = z.strictObject({
  id: identifier(64),
  name: z.string().min(1).max(200),
  publishableKey: givenKey("publishable"),
  secretKey: givenKey("secret"),
  allowedOrigins: z.array(
    z.string().refine(isOriginPattern, "is not an origin such as https://app.example or https://*.example"),
  ),
  gating: z
    .strictObject({
      quietPeriod: duration().optional(),
      monthlyCap: positive.optional(),
      surveyMaximum: positive.optional(),
    })
    .optional(),
  surveys: distinct(survey, "id", "slug"),
});

/** Schema of the config file. Unknown fields are errors, so that typos do not pass unnoticed. */
export const serverConfig = z.strictObject({
  projects: distinct(project, "id", "publishableKey", "secretKey"),
  trustedProxies: z.int().min(0).max(10).optional(),
  nodes: z.int().min(1).max(1000).optional(),
  rateLimits: z
    .union([
      z.literal(false),
      z.strictObject({
        address: limit,
        public: limit,
        project: limit,
        mint: limit,
        pending: limit,
        ack: limit,
        badAuth: limit,
      }),
    ])
    .optional(),
  tokens: z.strictObject({ unboundLifetime: lifetime, boundLifetime: lifetime }).optional(),
});
