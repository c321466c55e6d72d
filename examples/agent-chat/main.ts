import { pageOf, serveSite, startService } from "@afterword/example-site";
import { Afterword } from "@afterword/node";
import { Hono } from "hono";

const survey = { id: "answer", slug: "answer", type: "csat", question: "Did this answer help?" } as const;
const service = await startService([
  { ...survey, presentation: "inline", trigger: "manual", status: "active" },
]);
const afterword = new Afterword(service);

const page = pageOf(new URL("index.html", import.meta.url), service);
const site = new Hono()
  .get("/", (context) => context.html(page))
  .post("/ask", async (context) => {
    const { question, visitor } = await context.req.json<{ question: string; visitor: string }>();
    const sessionId = crypto.randomUUID(); // of the trace in your observability service
    const answer = `You asked: ${question}`; // your agent's work
    const { tokens } = await afterword.mint({ respondentId: visitor, sessionId, surveyId: survey.id });
    return context.json({ answer, sessionId, surveyId: survey.id, token: tokens[survey.id] });
  });
serveSite(site);
