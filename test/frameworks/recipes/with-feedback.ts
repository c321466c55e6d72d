import { withFeedback } from "@afterword/node";
import { aClient } from "../a-client.ts";

const client = aClient();
const agent = { answer: async (question: string) => new Response(`You asked: ${question}`).body! };

// recipe
export function answer(userId: string, question: string) {
  return withFeedback(agent.answer(question), {
    client,
    respondentId: userId,
    sessionId: `chat-of-${userId}`,
    surveyId: "answer",
  });
}
// end
