import { type Clause, type Extension } from "./clauses/clause.ts";
import { CannotRun } from "./service/cannot-run.ts";
import { NotTestable } from "./service/not-testable.ts";

/** How a clause ended. `notOffered`: the server declares that it lacks it. `notTestable`: this run lacks what it needs. */
export type Outcome = "passed" | "failed" | "notOffered" | "notTestable";

/** What one clause has shown about its subject. */
export interface ClauseResult {
  section: string;
  /** The section's heading in the contract. */
  heading: string;
  /** Where the heading is on the contract's page. */
  anchor: string;
  title: string;
  outcome: Outcome;
  /** Why it failed or could not be tested; where the contract is open, which reading it saw. */
  detail?: string;
}

/** What `runClauses` holds a subject to, and what it reports on the way. */
export interface RunOptions<Subject> {
  clauses: readonly Clause<Subject>[];
  subject: Subject;
  /** What the subject declares not to offer. */
  without?: readonly Extension[];
  /** Keys, which no detail may show. */
  secrets?: readonly string[];
  /** Called after each clause. */
  onResult?: (result: ClauseResult) => void;
  /** Ends the run; the clause that it interrupts has no result. */
  signal?: AbortSignal;
}

/** The link to a heading, as Markdown's processors make it. */
const anchorOf = (heading: string): string =>
  `#${heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")}`;

const longestDetail = 600;

const shortened = (text: string) =>
  text.length > longestDetail ? `${text.slice(0, longestDetail - 1)}…` : text;

/** What a clause cannot read says little by itself: a subject may say what it has last seen. */
const messageOf = (error: unknown, { lastSeen }: { lastSeen?: string }): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  if (!(error instanceof TypeError) || !lastSeen) return shortened(error.message + cause);
  return `${shortened(lastSeen)}: not in the form of the contract (${error.message}${cause})`;
};

type Ended = Pick<ClauseResult, "outcome" | "detail">;

async function endOf<Subject>({ run }: Clause<Subject>, subject: Subject): Promise<Ended> {
  try {
    const reading = await run(subject);
    return { outcome: "passed", ...(reading && { detail: reading }) };
  } catch (error) {
    if (error instanceof CannotRun) throw error;
    if (error instanceof NotTestable) return { outcome: "notTestable", detail: error.message };
    return { outcome: "failed", detail: messageOf(error, Object(subject)) };
  }
}

/** Runs clauses one after the other. What a clause throws is its outcome, but for `CannotRun`. */
export async function runClauses<Subject>(options: RunOptions<Subject>): Promise<ClauseResult[]> {
  const { clauses, subject, without = [], secrets = [], onResult, signal } = options;
  const results: ClauseResult[] = [];
  for (const clause of clauses) {
    const { at, section, title, offers } = clause;
    if (signal?.aborted) break;
    const ended: Ended =
      offers !== undefined && without.includes(offers)
        ? { outcome: "notOffered", detail: `declared by --without ${offers}` }
        : await endOf(clause, subject);
    if (signal?.aborted) break;
    for (const secret of secrets) ended.detail &&= ended.detail.replaceAll(secret, "…");
    const heading = at.replaceAll("`", "");
    const result = { section, heading, anchor: anchorOf(at), title, ...ended };
    results.push(result);
    onResult?.(result);
  }
  return results;
}
