import { startServer, type RunningServer, type SurveyConfig } from "@afterword/reference-server";
import { Afterword, type AfterwordOptions } from "../index.ts";

/** A real service on a port of its own, with what a test needs to put ratings into it. */
export interface TestService extends AsyncDisposable {
  url: string;
  secretKey: string;
  publishableKey: string;
  client(options?: AfterwordOptions): Afterword;
  /** Mints a token and submits a rating with it, as a page would; gives the id of the response. */
  rate(parts?: Rating): Promise<string>;
}

interface Rating {
  respondentId?: string;
  sessionId?: string;
  observationId?: string;
  surveyId?: string;
  rating?: number;
  text?: string;
}

const survey = (id: string, parts: Partial<SurveyConfig> = {}): SurveyConfig => ({
  id,
  slug: id,
  type: "csat",
  question: "How well did the agent do this task?",
  presentation: "corner",
  trigger: "manual",
  status: "active",
  ...parts,
});

export const followUpSurvey = survey("follow-up", {
  type: "ces",
  question: "How easy was it?",
  followUpQuestion: "What made it so?",
  endLabels: { low: "Very hard", high: "Very easy" },
});

export const eachRunSurvey = survey("each-run", { askAgain: { eachRun: true } });

export const thumbsSurvey = survey("thumbs", { thumbs: true });

/** With words in German that fit the rating, and no end label for it in German. */
export const translatedSurvey = survey("translated", {
  question: "How well did the agent do?",
  followUpQuestion: "What made it so?",
  followUpQuestions: { low: "What went wrong?" },
  suggestions: { low: ["Too slow", "Not what I asked for"] },
  endLabels: { low: "Badly", high: "Well" },
  translations: {
    de: {
      question: "Wie gut war der Agent?",
      followUpQuestions: { low: "Was ging schief?" },
      suggestions: { low: ["Zu langsam", "Falsch verstanden"] },
      endLabels: { low: "Schlecht" },
    },
  },
});

/** One project with the surveys `csat`, `nps` and, where asked for, `follow-up`; rate limits off. */
export async function startTestService(more: SurveyConfig[] = []): Promise<TestService> {
  const server: RunningServer = await startServer({
    config: {
      projects: [
        {
          id: "project",
          name: "Project",
          allowedOrigins: [],
          surveys: [survey("csat"), survey("nps", { type: "nps" }), ...more],
        },
      ],
      rateLimits: false,
    },
  });
  const { url } = server;
  const { secretKey = "", publishableKey } = server.projects[0]!;
  const client = (options: AfterwordOptions = {}) => new Afterword({ secretKey, baseUrl: url, ...options });
  let count = 0;

  async function rate({ surveyId = "csat", rating = 4, text, ...session }: Rating = {}): Promise<string> {
    count += 1;
    const bound = { respondentId: `respondent-${count}`, sessionId: `session-${count}`, ...session };
    const { tokens } = await client().mint({ ...bound, surveyId });
    const response = await fetch(`${url}/v1/sdk/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key: publishableKey, showToken: tokens[surveyId], surveyId, rating, text }),
    });
    if (response.status !== 201) throw new Error(`The rating was refused with ${response.status}.`);
    return ((await response.json()) as { id: string }).id;
  }

  return { url, secretKey, publishableKey, client, rate, [Symbol.asyncDispose]: () => server.close() };
}
