import { Afterword, runReference } from "@afterword/node";

const afterword = new Afterword(); // AFTERWORD_SECRET_KEY and AFTERWORD_BASE_URL, or { secretKey, baseUrl }

export async function tokensFor(userId: string, conversationId: string) {
  const { tokens, gated } = await afterword.mint({
    respondentId: userId,
    sessionId: conversationId,
    surveyId: "task-done", // one of your project's surveys; without it each active survey gets a token
    observationId: runReference.current(), // the active OpenTelemetry span: the rating belongs to this very run
  });
  return { tokens, gated };
}
