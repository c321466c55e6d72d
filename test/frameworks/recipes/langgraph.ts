// recipe
import { type Afterword } from "@afterword/node";
import { withFeedback, type Feedback, type RatedGraph } from "@afterword/node/langgraph";

type Graph = RatedGraph & { stream: (input: object, config: object) => Promise<ReadableStream<unknown>> };
type Chat = { id: string; userId: string; graph: Graph; send: (chunk: unknown) => void };

export async function answer(
  client: Pick<Afterword, "mint">,
  { id, userId, graph, send }: Chat,
  input: object,
): Promise<Feedback | undefined> {
  const config = { configurable: { thread_id: id, user_id: userId } }; // the session and the person
  const { result, feedback } = withFeedback(graph.stream(input, config), {
    client,
    graph,
    config,
    surveyId: "answer",
  });
  for await (const chunk of await result) send(chunk);
  return await feedback;
}
// end
