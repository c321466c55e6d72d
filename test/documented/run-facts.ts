import { type Afterword } from "@afterword/node";

export const mintForFailedRun = (client: Afterword) =>
  client.mint({
    respondentId: "user-17",
    sessionId: "run-2041",
    run: { version: "2.4", facts: { outcome: "failed", handedOver: true, steps: 14, costInUsd: 0.31 } },
  });
