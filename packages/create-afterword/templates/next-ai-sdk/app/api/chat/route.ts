import { Afterword } from "@afterword/node";
import { withFeedback } from "@afterword/node/ai-sdk";
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from "ai";
import { currentUser } from "../../current-user";
import { model } from "../../model";

export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: UIMessage[] };
  const { id: respondentId } = await currentUser();
  const run = streamText({ model, messages: await convertToModelMessages(messages) });
  const { result: stream } = withFeedback(toUIMessageStream({ stream: run.stream }), {
    client: new Afterword(), // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL
    respondentId,
    sessionId: crypto.randomUUID(), // of this run's trace in your observability service
    surveyId: "answer",
  });
  return createUIMessageStreamResponse({ stream });
}
