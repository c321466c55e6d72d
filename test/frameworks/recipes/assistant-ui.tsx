/** @jsxImportSource react */
// recipe
import { useAfterword } from "@afterword/react";
import { createFeedbackAdapter } from "@afterword/react/assistant-ui";
import { AssistantRuntimeProvider } from "@assistant-ui/react";
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
// end
