import type { HandedOverRun } from "@afterword/protocol";
import { handedOver, inTime, reportProblem } from "./feedback-of-run.ts";

/** A request of the model, and what the host needs to decide on it. */
export interface FeedbackWish {
  /** The id of a survey that you listed; `undefined` for any. */
  surveyId?: string;
  toolCallId: string;
  /** The conversation up to the call, as the AI SDK passes it to tools. */
  messages: readonly unknown[];
  /** The tool's context, as the host has set it for the run (`toolsContext`). */
  context?: unknown;
}

/** What `feedbackTool` takes: who decides, mints and hands the run to the page. */
export interface FeedbackToolOptions {
  /**
   * Mints for this run, with ids from your server's own data, and returns what the page gets. `undefined`, and a run
   * without tokens, is a refusal.
   */
  mint: (wish: FeedbackWish) => Promise<HandedOverRun | undefined>;
  /** Whether the person may be asked now. The host decides, whatever the model believes. */
  allow: (wish: FeedbackWish) => boolean | Promise<boolean>;
  /** Survey slug to survey id: the only surveys that the model can choose from. Default: the model cannot choose. */
  surveys?: Readonly<Record<string, string>> | undefined;
  /** Hands the run to the page, for example `(run) => writer.write({ type: runDataPart, data: run })`. */
  onFeedback: (run: HandedOverRun) => void;
  /**
   * Called when `allow`, `mint` or `onFeedback` fails, or a mint takes two seconds; the model is refused. Default: a
   * warning on the console.
   */
  onError?: ((error: Error) => void) | undefined;
}

/** A tool of the AI SDK, whose input is a Standard Schema. */
export interface FeedbackTool {
  description: string;
  inputSchema: {
    readonly "~standard": {
      readonly version: 1;
      readonly vendor: string;
      readonly validate: (value: unknown) => { value: FeedbackToolInput };
      readonly jsonSchema: Record<"input" | "output", () => Record<string, unknown>>;
    };
  };
  execute(input: FeedbackToolInput, execution: Omit<FeedbackWish, "surveyId">): Promise<string>;
}

/** What the model passes to the tool. */
export interface FeedbackToolInput {
  survey?: string;
}

/** The reply to the model. It names no reason, so that there is nothing to argue with. */
const granted =
  "The person will be asked, outside this conversation. Do not ask them yourself; finish your answer.";
const refused =
  "No feedback is needed for this task. Do not call this tool again or mention feedback; finish your answer.";

/**
 * A tool for the AI SDK that an agent calls when it believes that its task is done; name it `request_feedback`. Your
 * `allow` decides, then the service's gating. It works once per run, as one answer to one message of a person, whether
 * or not it was granted. The model's only argument is a slug out of `surveys`; anything else counts as the first of them.
 */
export function feedbackTool(options: FeedbackToolOptions): FeedbackTool {
  const { mint, allow, surveys = {}, onFeedback } = options;
  const askedRuns = new WeakSet<object>();
  async function ask(wish: FeedbackWish): Promise<boolean> {
    const run = runOf(wish.messages);
    if (askedRuns.has(run)) return false;
    askedRuns.add(run);
    if (!(await allow(wish))) return false;
    const minted = await inTime(() => mint(wish));
    if (!minted || Object.keys(minted.tokens).length === 0) return false;
    onFeedback(handedOver(minted));
    return true;
  }
  return {
    description:
      "Asks the person for feedback when the task is done. Call it at most once, after the last step of the task. " +
      "It may be refused.",
    inputSchema: inputSchema(Object.keys(surveys)),
    async execute({ survey }, { toolCallId, messages, context }) {
      const surveyId = survey === undefined ? undefined : surveys[survey];
      try {
        return (await ask({ surveyId, toolCallId, messages, context })) ? granted : refused;
      } catch (error) {
        reportProblem(error, options);
        return refused;
      }
    },
  };
}

/** Shows the model the slugs, and reads any input: an error would only make it try again. */
function inputSchema(slugs: readonly string[]): FeedbackTool["inputSchema"] {
  const properties = slugs.length > 0 ? { survey: { type: "string", enum: slugs } } : {};
  const shown = () => ({ type: "object", properties, additionalProperties: false });
  const validate = (value: unknown) => {
    const named: unknown = (value as { survey?: unknown } | null)?.survey;
    return { value: { survey: slugs.find((slug) => slug === named) ?? slugs[0] } };
  };
  const jsonSchema = { input: shown, output: shown };
  return { "~standard": { version: 1, vendor: "afterword", validate, jsonSchema } };
}

/** All steps of a run share the message that it answers, the same object. */
function runOf(messages: readonly unknown[]): object {
  const isOfPerson = (message: unknown) => (message as { role?: unknown }).role === "user";
  return (messages.findLast(isOfPerson) as object | undefined) ?? messages;
}
