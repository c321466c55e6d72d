import { withFeedback, type Afterword } from "@afterword/node";
import { runAgent, type Outcome, type Step } from "./agent/agent.ts";
import { type Tools } from "./agent/tools.ts";

/** What the page receives while the agent works, a line at a time. */
export type Line = { step: Step } | { outcome: Outcome } | { thumbs: Token } | { feedback: Token | null };

/** What the page's `install` takes. */
interface Token {
  surveyId: string;
  token: string;
  sessionId: string;
  taskType?: string | undefined;
}

/** One run of the agent for one visitor, with its session in the observability service. */
export class AgentRun {
  readonly sessionId = `run-${crypto.randomUUID()}`;
  readonly startedAt = new Date();
  readonly visitor: string;
  readonly surveyId: string;
  outcome: Outcome | undefined;
  readonly #steps: Iterator<Step, Outcome>;

  constructor(task: { visitor: string; surveyId: string; request: string }, tools: Tools) {
    this.visitor = task.visitor;
    this.surveyId = task.surveyId;
    this.#steps = runAgent(task.request, tools);
  }

  async *lines(): AsyncGenerator<Line> {
    let next = this.#steps.next();
    for (; !next.done; next = this.#steps.next()) yield { step: next.value };
    this.outcome = next.value;
    yield { outcome: next.value };
  }
}

/** Streams a run and, when its task is finished, the show-token for it; a failed mint costs the run nothing. */
export async function* linesWithFeedback(client: Afterword, run: AgentRun): AsyncGenerator<Line> {
  yield* run.lines();
  const { visitor: respondentId, sessionId, outcome } = run;
  if (!outcome?.finished) return;
  const { taskType } = outcome;
  const minted = await withFeedback(outcome, { client, respondentId, sessionId, taskType }).feedback;
  if (!minted) return;
  const tokenFor = (surveyId: string): Token | null => {
    const token = minted.tokens[surveyId];
    return token ? { surveyId, token, sessionId, taskType } : null;
  };
  const thumbs = tokenFor("answer");
  if (thumbs) yield { thumbs };
  yield { feedback: tokenFor(run.surveyId) };
}
