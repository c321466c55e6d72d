// recipe
import { type Afterword } from "@afterword/node";
import { withFeedback, type Feedback } from "@afterword/node/claude-agent-sdk";
import { query, type Options } from "@anthropic-ai/claude-agent-sdk";

type Chat = { userId: string; options: Options; send: (message: unknown) => void };

export async function answer(
  client: Pick<Afterword, "mint">,
  { userId, options, send }: Chat,
  prompt: string,
): Promise<Feedback | undefined> {
  const who = { respondentId: userId, surveyId: "answer" };
  const { result, feedback } = withFeedback(query({ prompt, options }), { client, ...who });
  for await (const message of result) send(message); // its session_id is the session to rate
  return await feedback;
}
// end
