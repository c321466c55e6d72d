import { type Afterword } from "@afterword/node";
import { Hono } from "hono";

/** Your application: it does a task with an agent, and lets the page ask how that went. */
export function createApplication(afterword: Afterword): Hono {
  const application = new Hono();
  application.post("/tasks", async (context) => {
    const { user, request } = await context.req.json<{ user: string; request: string }>();
    const sessionId = `run-${crypto.randomUUID()}`;
    const run = { sessionId, taskType: "refund", surveyId: "sat" };
    const { tokens } = await afterword.mint({ respondentId: user, ...run });
    return context.json({ answer: `Done: ${request}`, sessionId, feedback: tokens });
  });
  return application;
}
