/** The demo's project: one survey of each type, in every presentation. */
export const surveys = [
  {
    id: "satisfaction",
    slug: "satisfaction",
    type: "csat",
    question: "How well did the agent do this task?",
    followUpQuestion: "What should it have done differently?",
    presentation: "corner",
    trigger: "manual",
    showBadge: true,
    endLabels: { low: "Badly", high: "Very well" },
    status: "active",
  },
  {
    id: "recommendation",
    slug: "recommendation",
    type: "nps",
    question: "Would you hand this agent to a colleague?",
    followUpQuestion: "What is the main reason?",
    presentation: "banner",
    trigger: "manual",
    endLabels: { low: "Never", high: "At once" },
    status: "active",
  },
  {
    id: "ease",
    slug: "ease",
    type: "ces",
    question: "How easy was it to get this done?",
    presentation: "inline",
    trigger: "manual",
    endLabels: { low: "Very hard", high: "Very easy" },
    status: "active",
  },
  {
    id: "loss",
    slug: "loss",
    type: "pmf",
    question: "How would you feel without this agent?",
    presentation: "corner",
    corner: "bottom-left",
    trigger: "manual",
    status: "active",
  },
];

export const projectId = "demo";

export function serverConfig(origins: string[]) {
  return {
    projects: [
      { id: projectId, name: "Demo", allowedOrigins: origins, gating: { quietPeriod: "30d" }, surveys },
    ],
  };
}
