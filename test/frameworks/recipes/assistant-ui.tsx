/** @jsxImportSource react */
// recipe
import { useAfterword } from "@afterword/react";
import { createFeedbackAdapter, runOfMessage } from "@afterword/react/assistant-ui";
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useAuiState,
} from "@assistant-ui/react";
import { useChatRuntime } from "@assistant-ui/react-ai-sdk";
import type { ChatTransport, UIMessage } from "ai";
import { type ReactNode, useMemo } from "react";

type Props = { transport: ChatTransport<UIMessage>; surveyId: string; children: ReactNode };

export function Chat({ transport, surveyId, children }: Props) {
  const client = useAfterword();
  const feedback = useMemo(() => createFeedbackAdapter(client, { surveyId }), [client, surveyId]);
  const runtime = useChatRuntime({ transport, adapters: { feedback } });
  return <AssistantRuntimeProvider runtime={runtime}>{children}</AssistantRuntimeProvider>;
}

/** Put it into `Chat`. */
export function Thread() {
  return (
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Messages components={{ UserMessage: Question, AssistantMessage: Answer }} />
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Input aria-label="Message" />
        <ComposerPrimitive.Send>Ask</ComposerPrimitive.Send>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  );
}

const Question = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts />
  </MessagePrimitive.Root>
);

function Answer() {
  const hasToken = useAuiState(({ message }) => !!runOfMessage(message)?.tokens);
  return (
    <MessagePrimitive.Root>
      <MessagePrimitive.Parts />
      {hasToken && (
        <ActionBarPrimitive.Root>
          <ActionBarPrimitive.FeedbackPositive>Good answer</ActionBarPrimitive.FeedbackPositive>
          <ActionBarPrimitive.FeedbackNegative>Bad answer</ActionBarPrimitive.FeedbackNegative>
        </ActionBarPrimitive.Root>
      )}
    </MessagePrimitive.Root>
  );
}
// end
