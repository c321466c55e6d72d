import { withFeedback } from "@afterword/node";
import { aClient } from "../a-client.ts";

const client = aClient();
const agent = { answer: async (question: string) => new Response(`You asked: ${question}`).body! };

// recipe
export const answer = withFeedback((_userId: string, question: string) => agent.answer(question), {
  client,
  session: (_result, userId) => ({ respondentId: userId, sessionId: `chat-of-${userId}` }),
});
// end
