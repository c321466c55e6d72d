// node --env-file=.env server.ts
import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { Afterword, withFeedback } from "@afterword/node";

interface Question {
  question: string;
  visitor: string;
}

const afterword = new Afterword(); // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL

/** What the page gets once the agent is done: its answer, and the run to ask about. */
async function answer(request: IncomingMessage) {
  const { question, visitor } = (await json(request)) as Question;
  const sessionId = crypto.randomUUID(); // of the trace in your observability service
  const text = `You asked: ${question}`; // your agent's work
  // Where people sign in, take the respondent from your session, never from the page.
  const { feedback } = withFeedback({ text }, { client: afterword, respondentId: visitor, sessionId });
  const { tokens } = (await feedback) ?? { tokens: {} }; // a mint that fails is logged: the answer goes out
  return { text, run: { tokens, sessionId } };
}

const files: Record<string, [file: string, type: string]> = {
  "/": ["public/index.html", "text/html"],
  "/page.js": ["public/page.js", "text/javascript"],
};

const server = createServer(async (request, response) => {
  if (request.method === "POST" && request.url === "/api/answer") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(await answer(request)));
    return;
  }
  const [file, type] = files[request.url ?? ""] ?? [];
  if (!file) return void response.writeHead(404).end();
  response.setHeader("content-type", `${type}; charset=utf-8`);
  createReadStream(file).pipe(response);
});

const port = Number(process.env["PORT"] ?? 3000);
server.listen(port, "127.0.0.1", () => console.log(`http://localhost:${port}/`));
