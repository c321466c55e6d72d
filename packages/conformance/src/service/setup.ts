import type { SurveyConfig } from "@afterword/reference-server";

const survey = (id: string, fields: Partial<SurveyConfig> = {}): SurveyConfig => ({
  id,
  slug: `${id}-slug`,
  type: "nps",
  question: "How likely are you to recommend us?",
  presentation: "corner",
  trigger: "auto",
  status: "active",
  ...fields,
});

/** Words of the survey `worded`. */
export const words = {
  followUpQuestions: { low: "What went wrong?", high: "What was best?" },
  suggestions: { low: ["Wrong", "Too slow"] },
  translations: { "pt-BR": { question: "Como foi?", suggestions: { low: ["Errado"] } } },
};

/** Quiet period of the second project. */
export const quietPeriodInMs = 2_000;

/** Surveys of the first project, in the order of its definition. */
export const surveys = [
  survey("nps"),
  survey("csat", {
    type: "csat",
    followUpQuestion: "Why?",
    delayMs: 1500,
    samplePercent: 50,
    targeting: [{ trait: "plan", op: "eq", value: "pro" }],
    showBadge: true,
    corner: "top-left",
    endLabels: { low: "Badly", high: "Very well" },
  }),
  survey("ces", { type: "ces", presentation: "inline", trigger: "manual" }),
  survey("pmf", { type: "pmf", presentation: "banner" }),
  survey("worded", { type: "csat", followUpQuestion: "Why?", ...words }),
  survey("up-or-down", { type: "csat", thumbs: true }),
  survey("each-run", { askAgain: { eachRun: true } }),
  survey("failures", {
    sampling: {
      probability: 0,
      strata: [{ name: "failed", when: [{ trait: "outcome", op: "eq", value: "failed" }], probability: 1 }],
    },
  }),
  survey("half", { askAgain: { eachRun: true }, sampling: { probability: 0.5 } }),
  survey("paused", { status: "paused" }),
];

const generous = { perMinute: 600_000 };

/** The two projects that a server under test must have, in the form of the reference server's config file. */
export const setup = {
  // Only acknowledgements have a limit that the kit reaches.
  rateLimits: {
    address: generous,
    public: generous,
    project: generous,
    mint: generous,
    pending: generous,
    ack: { perMinute: 600, burst: 150 },
    badAuth: generous,
  },
  projects: [
    {
      id: "conformance",
      name: "Conformance",
      allowedOrigins: ["https://app.example"],
      surveys,
    },
    {
      id: "conformance-second",
      name: "Conformance, second",
      allowedOrigins: [] as string[],
      gating: { quietPeriod: `${quietPeriodInMs / 1000}s`, monthlyCap: 2 },
      surveys: [
        survey("second-nps"),
        survey("second-csat", { type: "csat" }),
        survey("few", { maximum: 1 }),
        survey("thumbs", { unprompted: true }),
      ],
    },
  ],
};
