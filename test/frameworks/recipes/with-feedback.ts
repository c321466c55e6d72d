// recipe
import { type Afterword, withFeedback } from "@afterword/node";

type Agent = { answer: (question: string) => Promise<ReadableStream> };
type Chat = { id: string; userId: string; agent: Agent };

export function answer(client: Pick<Afterword, "mint">, { id, userId, agent }: Chat, question: string) {
  return withFeedback(agent.answer(question), {
    client,
    respondentId: userId,
    sessionId: id,
    surveyId: "answer",
  });
}
// end
