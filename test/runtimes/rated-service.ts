import { Afterword, AfterwordRespondent } from "@afterword/node";
import { startServer } from "@afterword/server";

/** A service with one survey, and a person who answers it once with a token that was minted for the run. */
export async function startRatedService() {
  const survey = { type: "csat", presentation: "inline", trigger: "manual", status: "active" } as const;
  const surveys = [{ id: "csat", slug: "csat", question: "How well did the agent do?", ...survey }];
  const service = await startServer({
    config: { projects: [{ id: "p", name: "P", allowedOrigins: [], surveys }], rateLimits: false },
  });
  const { publishableKey, secretKey } = service.projects[0]!;
  const client = new Afterword({ baseUrl: service.url, secretKey });
  return {
    /** A show-token of that person for the run. */
    async mint(respondentId: string): Promise<string> {
      const { tokens } = await client.mint({ respondentId, sessionId: "session-of-a-run" });
      return tokens["csat"]!;
    },
    variables: {
      AFTERWORD_BASE_URL: service.url,
      AFTERWORD_SECRET_KEY: secretKey!,
      AFTERWORD_PUBLISHABLE_KEY: publishableKey,
    },
    async rateOnce(showToken: string): Promise<void> {
      const person = new AfterwordRespondent({ publishableKey, baseUrl: service.url, userId: "a-person" });
      person.install({ surveyId: "csat", token: showToken, sessionId: "session-of-a-run" });
      await (await person.nextAsk())!.submit({ rating: 4 });
    },
    close: () => service.close(),
  };
}
