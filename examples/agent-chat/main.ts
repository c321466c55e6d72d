import { randomBytes, randomUUID } from "node:crypto";
import { pageOf, serveSite, startService } from "@afterword/example-site";
import { Afterword, runReference } from "@afterword/node";
import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { streamText } from "hono/streaming";
import { answerTo } from "./agent.ts";

const surveyId = "answer";
const service = await startService([
  {
    id: surveyId,
    slug: surveyId,
    type: "csat",
    thumbs: true, // up and down, and no rating between
    question: "Was this answer helpful?",
    presentation: "inline",
    trigger: "manual",
    status: "active",
    askAgain: { eachRun: true }, // every answer may be voted on …
    unprompted: true, // … and a vote does not count as having been asked
  },
]);
const afterword = new Afterword(service);
const page = pageOf(new URL("index.html", import.meta.url), service);

const site = new Hono()
  .get("/", (context) => {
    const visitor = getCookie(context, "visitor") ?? randomUUID(); // your signed-in user
    setCookie(context, "visitor", visitor, { httpOnly: true, sameSite: "Strict" });
    return context.html(page.replace("{{visitor}}", visitor));
  })
  .post("/chat", async (context) => {
    const visitor = getCookie(context, "visitor");
    if (!visitor) return context.text("Open the page first.", 401);
    const { question } = await context.req.json<{ question: string }>();
    // Of your tracer; inside a span of OpenTelemetry it is `runReference.current()`.
    const observationId = runReference({ traceId: randomBytes(16).toString("hex") });
    const run = { sessionId: `chat-${visitor}`, observationId };
    return streamText(context, async (stream) => {
      const send = (line: object) => stream.writeln(JSON.stringify(line));
      for await (const words of answerTo(question)) await send({ words });
      const { tokens } = await afterword.mint({ respondentId: visitor, surveyId, ...run });
      const token = tokens[surveyId];
      if (token) await send({ run: { surveyId, token, ...run } });
    });
  });
serveSite(site);
