import { AfterwordError, type HeadlessAfterword, type RatedRun, type SurveyAnswer } from "@afterword/browser";
import { type HandedOverRun, runOf } from "./ai-sdk.ts";
import { splitRun } from "./split-run.ts";

export type { HandedOverRun };

/** The part of an assistant-ui message that is read. */
export interface AssistantMessage {
  metadata: { custom: Record<string, unknown> };
  content: readonly { type: string; name?: string; data?: unknown }[];
}

/** Fits the `FeedbackAdapter` of assistant-ui. */
export interface AfterwordFeedbackAdapter {
  submit(feedback: { message: AssistantMessage; type: "positive" | "negative"; comment?: string }): void;
  /** The vote on a message for its `metadata.submittedFeedback`, also an earlier one; `client.subscribe` tells of changes. */
  submittedFeedback(message: AssistantMessage): { type: "positive" | "negative" } | undefined;
}

/** Which survey a vote of assistant-ui rates, and when it is sent. */
export interface FeedbackAdapterOptions {
  /** Which of the run's surveys to rate. Default: the only one that is `csat`. */
  surveyId?: string;
  /** How long a vote can be changed before it is sent, in milliseconds. Default 4,000. */
  holdInMs?: number;
}

/**
 * Returns the run that the server handed over with this message: from its custom metadata (`afterword`), otherwise from
 * its last `afterword` data part. The AI SDK's metadata and data parts arrive there. `undefined` until then: show no
 * thumbs.
 */
export function runOfMessage({ metadata, content }: AssistantMessage): HandedOverRun | undefined {
  const parts = content.map(({ type, name, data }) => ({ type: `${type}-${name}`, data }));
  return runOf({ metadata: metadata.custom, parts });
}

/**
 * Sends assistant-ui's feedback as a rating of the message's run, as thumbs do: 5 or 1 on a csat survey, with the
 * comment as its text. Never throws: the client's `on("error")` reports a message without a run, and every refusal.
 */
export function createFeedbackAdapter(
  client: Pick<HeadlessAfterword, "rate"> & Partial<Pick<HeadlessAfterword, "voteOf">>,
  { surveyId, holdInMs = 4000 }: FeedbackAdapterOptions = {},
): AfterwordFeedbackAdapter {
  // Loads what a vote needs, so that a vote just before the page is left still arrives.
  void client.rate({} as RatedRun, {} as SurveyAnswer, { ready() {} });
  const runToRate = (message: AssistantMessage) => splitRun({ run: runOfMessage(message), surveyId })[0];
  return {
    submittedFeedback(message) {
      const rated = runToRate(message);
      const vote = rated && client.voteOf?.(rated)?.vote;
      return vote && { type: vote === "up" ? "positive" : "negative" };
    },
    submit({ message, type, comment }) {
      const rated = runToRate(message);
      const answer = { rating: type === "positive" ? 5 : 1, text: comment };
      void client.rate(rated ?? withoutRun, answer, { delayInMs: holdInMs, type: "csat" });
    },
  };
}

/** The client asks for its token and reports why there is none. */
const withoutRun: RatedRun = {
  surveyId: "",
  sessionId: "",
  getToken() {
    throw new AfterwordError("invalid_argument", noRun);
  },
};

const noRun =
  'feedback on a message without a token is not sent: let the server put the run into its metadata ("afterword") or a data part ("data-afterword"), and hide the buttons where runOfMessage(message) has no tokens';
