import type { GatingConfig, ServerConfig } from "@afterword/reference-server";

export const publishableKey = "aw_pk_simulation0123456789abcdefgh";
/** The first one; it is rotated. */
export const secretKey = "aw_sk_simulation0123456789abcdefgh";

const base = {
  type: "csat",
  question: "How did it go?",
  presentation: "corner",
  trigger: "manual",
  status: "active",
} as const;

export const dayInMs = 86_400_000;
export const againAfterInMs = 8 * dayInMs;
export const mostOfFew = 4;

/** Once for each person, once in each run, again after eight days, and until there are four answers. */
export const surveys = [
  { ...base, id: "once", slug: "once" },
  { ...base, id: "runs", slug: "runs", askAgain: { eachRun: true }, unprompted: true },
  { ...base, id: "again", slug: "again", askAgain: { after: "8d" } },
  { ...base, id: "few", slug: "few", maximum: mostOfFew },
] as const;

export type SurveyId = (typeof surveys)[number]["id"];
export const surveyIds = surveys.map(({ id }) => id);

export const configOf = (gating: GatingConfig, hasLimits: boolean): ServerConfig => ({
  projects: [
    { id: "p", name: "Simulation", publishableKey, secretKey, allowedOrigins: ["*"], gating, surveys },
  ],
  rateLimits: hasLimits
    ? { public: { perMinute: 30, burst: 6 }, pending: { perMinute: 20 }, ack: { perMinute: 20 } }
    : false,
});
