import { generateKey, type ServerConfig, type SurveyConfig } from "@afterword/reference-server/internal";

const asked = { trigger: "manual", status: "active" } as const;

/** One survey of each type, in every presentation, and one for thumbs. */
const surveys: readonly SurveyConfig[] = [
  {
    id: "satisfaction",
    slug: "satisfaction",
    type: "csat",
    question: "How well did the agent do this task?",
    followUpQuestion: "What should it have done differently?",
    presentation: "corner",
    endLabels: { low: "Badly", high: "Very well" },
    ...asked,
  },
  {
    id: "recommendation",
    slug: "recommendation",
    type: "nps",
    question: "Would you recommend this agent to a colleague?",
    followUpQuestion: "What is the main reason?",
    presentation: "banner",
    endLabels: { low: "Never", high: "At once" },
    ...asked,
  },
  {
    id: "ease",
    slug: "ease",
    type: "ces",
    question: "How easy was it to get this done?",
    presentation: "inline",
    endLabels: { low: "Very hard", high: "Very easy" },
    ...asked,
  },
  {
    id: "loss",
    slug: "loss",
    type: "pmf",
    question: "How would you feel without this agent?",
    presentation: "corner",
    corner: "bottom-left",
    ...asked,
  },
  {
    id: "answer",
    slug: "answer",
    type: "csat",
    thumbs: true,
    question: "Was this answer good?",
    presentation: "inline",
    askAgain: { eachRun: true },
    unprompted: true,
    ...asked,
  },
];

/** The config of a new folder: one project with keys of its own, and no origin but those that `dev` adds. */
export const firstConfig = (): ServerConfig => ({
  projects: [
    {
      id: "dev",
      name: "Development",
      publishableKey: generateKey("publishable"),
      secretKey: generateKey("secret"),
      allowedOrigins: [],
      surveys,
    },
  ],
});
