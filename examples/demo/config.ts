/** Each run is asked about, once. */
const eachRun = { askAgain: { eachRun: true }, trigger: "manual", status: "active" };

/** The demo's project: one survey of each type, in every presentation, and the thumbs under each answer. */
export const surveys = [
  {
    ...eachRun,
    id: "satisfaction",
    slug: "satisfaction",
    type: "csat",
    question: "How well did the agent do this task?",
    followUpQuestion: "What should it have done differently?",
    presentation: "corner",
    showBadge: true,
    endLabels: { low: "Badly", high: "Very well" },
  },
  {
    ...eachRun,
    id: "recommendation",
    slug: "recommendation",
    type: "nps",
    question: "Would you hand this agent to a colleague?",
    followUpQuestion: "What is the main reason?",
    presentation: "banner",
    endLabels: { low: "Never", high: "At once" },
  },
  {
    ...eachRun,
    id: "ease",
    slug: "ease",
    type: "ces",
    question: "How easy was it to get this done?",
    presentation: "inline",
    endLabels: { low: "Very hard", high: "Very easy" },
  },
  {
    ...eachRun,
    id: "loss",
    slug: "loss",
    type: "pmf",
    question: "How would you feel without this agent?",
    presentation: "corner",
    corner: "bottom-left",
  },
  {
    ...eachRun,
    id: "answer",
    slug: "answer",
    type: "csat",
    question: "Was this answer good?",
    presentation: "inline",
    unprompted: true,
  },
];

export const projectId = "demo";

export function serverConfig(origins: string[]) {
  return {
    projects: [{ id: projectId, name: "Demo", allowedOrigins: origins, surveys }],
  };
}
