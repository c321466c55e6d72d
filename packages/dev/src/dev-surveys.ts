import { generateKey, type ServerConfig, type SurveyConfig } from "@afterword/reference-server/internal";

type Own = Omit<SurveyConfig, "id" | "slug" | "trigger" | "status">;

function survey(id: string, own: Own): SurveyConfig {
  return { id, slug: id, ...own, trigger: "manual", status: "active" };
}

/** One survey of each type, in every presentation, and one for thumbs. */
const surveys: readonly SurveyConfig[] = [
  survey("satisfaction", {
    type: "csat",
    question: "How well did the agent do this task?",
    followUpQuestion: "What should it have done differently?",
    presentation: "corner",
    endLabels: { low: "Badly", high: "Very well" },
  }),
  survey("recommendation", {
    type: "nps",
    question: "Would you recommend this agent to a colleague?",
    followUpQuestion: "What is the main reason?",
    presentation: "banner",
    endLabels: { low: "Never", high: "At once" },
  }),
  survey("ease", {
    type: "ces",
    question: "How easy was it to get this done?",
    presentation: "inline",
    endLabels: { low: "Very hard", high: "Very easy" },
  }),
  survey("loss", {
    type: "pmf",
    question: "How would you feel without this agent?",
    presentation: "corner",
    corner: "bottom-left",
  }),
  survey("answer", {
    type: "csat",
    thumbs: true,
    question: "Was this answer good?",
    presentation: "inline",
    askAgain: { eachRun: true },
    unprompted: true,
  }),
];

/** The config of a new folder: one project with keys of its own, and no origin but those that `dev` adds. */
export function firstConfig(): ServerConfig {
  const keys = { publishableKey: generateKey("publishable"), secretKey: generateKey("secret") };
  return { projects: [{ id: "dev", name: "Development", ...keys, allowedOrigins: [], surveys }] };
}
