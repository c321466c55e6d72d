import { type ProjectKeys } from "@afterword/conformance";
import { type ProjectConfig, type ServerConfig, type SurveyConfig } from "@afterword/reference-server";

/** Keys of the form that a config may give; made from a name so that a test can say whose they are. */
export function keysOf(name: string): ProjectKeys {
  const rest = `${name}0000000000000000000000000000`.slice(0, 28);
  return { publishableKey: `aw_pk_${rest}`, secretKey: `aw_sk_${rest}` };
}

/** A survey of a type, active unless told otherwise; its slug is its id with `-slug`. */
export function survey(id: string, fields: Partial<SurveyConfig> = {}): SurveyConfig {
  return {
    id,
    slug: `${id}-slug`,
    type: "nps",
    question: "How likely are you to recommend us?",
    presentation: "corner",
    trigger: "auto",
    status: "active",
    ...fields,
  };
}

export function project(id: string, fields: Partial<ProjectConfig> = {}): ProjectConfig {
  return { id, name: id, ...keysOf(id), allowedOrigins: [], surveys: [survey(`${id}-nps`)], ...fields };
}

export const allowedOrigins = ["https://app.example", "https://*.wild.example", "http://localhost:5173"];

/** One project of each temperament; limits are off, since a suite would hit them. */
export const everyProject: ServerConfig = {
  rateLimits: false,
  projects: [
    project("plain", {
      allowedOrigins,
      surveys: [
        survey("nps"),
        survey("csat", { type: "csat" }),
        survey("ces", { type: "ces", presentation: "inline" }),
        survey("pmf", { type: "pmf", presentation: "banner" }),
        survey("paused", { status: "paused" }),
      ],
    }),
    project("other", { surveys: [survey("other-nps"), survey("other-csat", { type: "csat" })] }),
    project("full", {
      gating: { surveyMaximum: 2 },
      surveys: [survey("f1", { maximum: 1 }), survey("f2")],
    }),
    project("again", {
      surveys: [
        survey("once"),
        survey("later", { askAgain: { after: "90d", afterDismissal: "180d" } }),
        survey("runs", { askAgain: { eachRun: true } }),
      ],
    }),
    project("sampled", {
      surveys: [
        survey("half", { type: "csat", askAgain: { eachRun: true }, sampling: { probability: 0.5 } }),
        survey("other-half", { askAgain: { eachRun: true }, sampling: { probability: 0.5 } }),
        survey("failures", {
          sampling: {
            probability: 0,
            strata: [
              { name: "failed", when: [{ trait: "outcome", op: "eq", value: "failed" }], probability: 1 },
              { name: "long", when: [{ trait: "steps", op: "gte", value: 10 }], probability: 1 },
              {
                name: "also failed",
                when: [{ trait: "outcome", op: "eq", value: "failed" }],
                probability: 0,
              },
            ],
          },
        }),
        survey("all", { askAgain: { eachRun: true } }),
      ],
    }),
    project("queue", {
      surveys: [survey("queue-nps"), survey("queue-thumbs", { type: "csat", thumbs: true })],
    }),
    project("purged"),
    project("erased", { surveys: [survey("erased-nps"), survey("erased-csat", { type: "csat" })] }),
  ],
};
