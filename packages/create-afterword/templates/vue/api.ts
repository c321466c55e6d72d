import { Afterword, withFeedback } from "@afterword/node";
import { Hono } from "hono";

const afterword = new Afterword(); // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL

export const api = new Hono();
api.post("/api/answer", async (context) => {
  const { question, visitor } = await context.req.json<{ question: string; visitor: string }>();
  const sessionId = crypto.randomUUID(); // of the trace in your observability service
  const text = `You asked: ${question}`; // your agent's work
  // Where people sign in, take the respondent from your session, never from the page.
  const ids = { respondentId: visitor, sessionId, surveyId: "answer" };
  const { feedback } = withFeedback({ text }, { client: afterword, ...ids });
  const { tokens } = (await feedback) ?? { tokens: {} }; // a mint that fails is logged: the answer goes out
  return context.json({ text, run: { tokens, sessionId } });
});
