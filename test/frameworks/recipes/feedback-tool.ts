// recipe
import { type Afterword } from "@afterword/node";
import { feedbackTool, runDataPart } from "@afterword/node/ai-sdk";
import {
  createUIMessageStream,
  createUIMessageStreamResponse,
  isStepCount,
  streamText,
  toUIMessageStream,
  type LanguageModel,
} from "ai";

type Chat = { id: string; userId: string; model: LanguageModel; isLong: boolean };

export function answer(client: Pick<Afterword, "mint">, chat: Chat, question: string): Response {
  const ids = { respondentId: chat.userId, sessionId: chat.id };
  const stream = createUIMessageStream({
    execute({ writer }) {
      const request_feedback = feedbackTool({
        allow: () => chat.isLong, // your rule; the model only suggests
        mint: async ({ surveyId }) => ({ ...ids, ...(await client.mint({ ...ids, surveyId })) }),
        surveys: { "task-done": "csat" }, // slug to survey id
        onFeedback: (data) => writer.write({ type: runDataPart, data }),
      });
      const { model } = chat;
      const run = streamText({
        model,
        prompt: question,
        tools: { request_feedback },
        stopWhen: isStepCount(5),
      });
      writer.merge(toUIMessageStream({ stream: run.stream }));
    },
  });
  return createUIMessageStreamResponse({ stream });
}
// end
