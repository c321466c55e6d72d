// recipe
import { type Afterword } from "@afterword/node";
import { withFeedback, type Feedback } from "@afterword/node/openai-agents";
import { type Agent, Runner } from "@openai/agents";

type Chat = { id: string; userId: string; agent: Agent; send: (event: unknown) => void };

export async function answer(
  client: Pick<Afterword, "mint">,
  chat: Chat,
  question: string,
): Promise<Feedback | undefined> {
  const runner = new Runner({ groupId: chat.id }); // the group is the session to rate
  const { result, feedback } = withFeedback(runner.run(chat.agent, question, { stream: true }), {
    client,
    respondentId: chat.userId,
    surveyId: "answer",
  });
  for await (const event of await result) chat.send(event);
  return await feedback; // the tokens for the page, or undefined: send them as your last message
}
// end
