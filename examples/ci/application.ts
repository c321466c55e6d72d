import { type Afterword } from "@afterword/node";
import { Hono } from "hono";

/** Your application: it does a task with an agent, and lets the page ask how that went. */
export function createApplication(afterword: Afterword): Hono {
  const application = new Hono();
  application.post("/tasks", async (context) => {
    const { user, request } = await context.req.json<{ user: string; request: string }>();
    const run = { sessionId: `run-${crypto.randomUUID()}`, taskType: "refund", surveyId: "sat" };
    const { tokens, reason } = await afterword.mint({ respondentId: user, ...run });
    return context.json({ answer: `Done: ${request}`, sessionId: run.sessionId, feedback: tokens, reason });
  });
  return application;
}
