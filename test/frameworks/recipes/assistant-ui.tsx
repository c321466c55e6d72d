/** @jsxImportSource react */
// recipe
import { useAfterword } from "@afterword/react";
import { createFeedbackAdapter } from "@afterword/react/assistant-ui";
import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useChatRuntime } from "@assistant-ui/react-ai-sdk";
import type { ChatTransport, UIMessage } from "ai";
import { type ReactNode, useMemo } from "react";

export function Chat({ transport, children }: { transport: ChatTransport<UIMessage>; children: ReactNode }) {
  const client = useAfterword();
  const feedback = useMemo(() => createFeedbackAdapter(client), [client]);
  const runtime = useChatRuntime({ transport, adapters: { feedback } });
  return <AssistantRuntimeProvider runtime={runtime}>{children}</AssistantRuntimeProvider>;
}
// end
