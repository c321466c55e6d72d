// node --env-file=.env server.ts
import { Afterword, withFeedback } from "@afterword/node";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";

interface Question {
  question: string;
  visitor: string;
}

const afterword = new Afterword(); // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL

const app = new Hono();
app.post("/api/answer", async (context) => {
  const { question, visitor } = await context.req.json<Question>();
  const sessionId = crypto.randomUUID(); // of the trace in your observability service
  const text = `You asked: ${question}`; // your agent's work
  // Where people sign in, take the respondent from your session, never from the page.
  const { feedback } = withFeedback({ text }, { client: afterword, respondentId: visitor, sessionId });
  const { tokens } = (await feedback) ?? { tokens: {} }; // a mint that fails is logged: the answer goes out
  return context.json({ text, run: { tokens, sessionId } });
});
app.get("*", serveStatic({ root: "public" })); // the page

const port = Number(process.env["PORT"] ?? 3000);
serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, ({ port }) =>
  console.log(`http://localhost:${port}/`),
);
