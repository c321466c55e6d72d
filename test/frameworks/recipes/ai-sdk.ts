// recipe
import { type Afterword } from "@afterword/node";
import { withFeedback } from "@afterword/node/ai-sdk";
import { createUIMessageStreamResponse, streamText, toUIMessageStream, type LanguageModel } from "ai";

type Chat = { id: string; userId: string; model: LanguageModel };

export function answer(client: Pick<Afterword, "mint">, chat: Chat, question: string): Response {
  const run = streamText({ model: chat.model, prompt: question });
  const { result: stream } = withFeedback(toUIMessageStream({ stream: run.stream }), {
    client,
    respondentId: chat.userId, // from your own session, never from the page
    sessionId: chat.id,
    surveyId: "answer", // the survey to ask with; without it all that are active
  });
  return createUIMessageStreamResponse({ stream });
}
// end
