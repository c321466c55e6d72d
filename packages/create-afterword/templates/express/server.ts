// node --env-file=.env server.ts
import { Afterword, withFeedback } from "@afterword/node";
import express from "express";

interface Question {
  question: string;
  visitor: string;
}

const afterword = new Afterword(); // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL

const app = express();
app.post("/api/answer", express.json(), async (request, response) => {
  const { question, visitor } = request.body as Question;
  const sessionId = crypto.randomUUID(); // of the trace in your observability service
  const text = `You asked: ${question}`; // your agent's work
  // Where people sign in, take the respondent from your session, never from the page.
  const { feedback } = withFeedback({ text }, { client: afterword, respondentId: visitor, sessionId });
  const { tokens } = (await feedback) ?? { tokens: {} }; // a mint that fails is logged: the answer goes out
  response.json({ text, run: { tokens, sessionId } });
});
app.use(express.static("public")); // the page

const port = Number(process.env["PORT"] ?? 3000);
app.listen(port, "127.0.0.1", () => console.log(`http://localhost:${port}/`));
