import { type Clause, type Extension } from "./clauses/clause.ts";
import { NotTestable } from "./service/not-testable.ts";

/** How a clause ended. `notOffered`: the server declares that it lacks it. `notTestable`: this run lacks what it needs. */
export type Outcome = "passed" | "failed" | "notOffered" | "notTestable";

export interface ClauseResult {
  section: string;
  title: string;
  outcome: Outcome;
  /** Why it failed or could not be tested; where the contract is open, which reading it saw. */
  detail?: string;
}

export interface RunOptions<Subject> {
  clauses: Pick<
    Clause & { run(subject: Subject): Promise<string | void> },
    "section" | "title" | "offers" | "run"
  >[];
  subject: Subject;
  /** What the server declares not to offer. */
  without?: readonly Extension[];
  /** Called after each clause. */
  onResult?: (result: ClauseResult) => void;
}

const longestDetail = 600;

const shortened = (text: string) =>
  text.length > longestDetail ? `${text.slice(0, longestDetail - 1)}…` : text;

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return shortened(error.message + cause);
};

async function outcomeOf(
  run: () => Promise<string | void>,
): Promise<Pick<ClauseResult, "outcome" | "detail">> {
  try {
    const reading = await run();
    return { outcome: "passed", ...(reading && { detail: reading }) };
  } catch (error) {
    if (error instanceof NotTestable) return { outcome: "notTestable", detail: error.message };
    return { outcome: "failed", detail: messageOf(error) };
  }
}

/** Runs clauses one after the other. Never rejects: what a clause throws is its outcome. */
export async function runClauses<Subject>(options: RunOptions<Subject>): Promise<ClauseResult[]> {
  const { clauses, subject, without = [], onResult } = options;
  const results: ClauseResult[] = [];
  for (const { section, title, offers, run } of clauses) {
    const ended =
      offers !== undefined && without.includes(offers)
        ? ({ outcome: "notOffered", detail: `the server declares --without ${offers}` } as const)
        : await outcomeOf(() => run(subject));
    const result = { section, title, ...ended };
    results.push(result);
    onResult?.(result);
  }
  return results;
}
