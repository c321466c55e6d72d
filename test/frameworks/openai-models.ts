import { Usage, type Model, type protocol } from "@openai/agents";

export type Output = protocol.AssistantMessageItem | protocol.FunctionCallItem;

export const answer: Output = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Refunded." }],
};
export const callOf = (name: string): Output => ({
  type: "function_call",
  callId: "1",
  name,
  arguments: "{}",
  status: "completed",
});

/** Gives one output after the other, after as many deltas as it is told to. */
export function aModel(
  outputs: Output[],
  { onStart = () => undefined, deltas = 1 }: { onStart?: () => void; deltas?: number } = {},
): Model {
  return {
    getResponse: async () => ({ usage: new Usage(), output: [outputs.shift() ?? answer] }),
    async *getStreamedResponse() {
      yield { type: "response_started" };
      onStart();
      for (let left = deltas; left > 0; left -= 1) yield { type: "output_text_delta", delta: "Ref" };
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      yield { type: "response_done", response: { id: "1", usage, output: [outputs.shift() ?? answer] } };
    },
  };
}
