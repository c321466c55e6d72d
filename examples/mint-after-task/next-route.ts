import { Afterword, createMintHandler } from "@afterword/node";
import { authorize } from "./run-task.ts";

// In Next.js this file is app/feedback/route.ts. Next.js answers other methods with 405 by itself.

export const POST = createMintHandler({
  client: new Afterword(),
  authorize,
  surveyId: "task-done",
  logger: console,
});
