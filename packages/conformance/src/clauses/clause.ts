import { type Service } from "../service/service.ts";

/** What a server may leave out; it declares so by `--without`. */
export const extensions = [
  "asking-again",
  "failure-reasons",
  "leases",
  "mint-reasons",
  "rate-limits",
  "run-sampling",
  "runs",
  "same-answer",
  "scopes",
  "shown",
  "survey-words",
  "token-check",
] as const;

export type Extension = (typeof extensions)[number];

/** One rule of the contract that can be seen from outside, of a server or of a client. */
export interface Clause<Subject = Service> {
  /** Section of the contract: a number, or the heading of an extension. */
  section: string;
  /** The rule, in the present tense. */
  title: string;
  /** Words of the sentences that the clause proves, after `4.2: ` where several sections have the same sentence. */
  proves: string[];
  /** What a server need not offer. */
  offers?: Extension;
  /** Rejects if the rule does not hold. Where the contract is open, returns the reading that it saw. */
  run(subject: Subject): Promise<string | void>;
}

/** Puts clauses into their section. */
export const inSection = <Subject = Service>(
  section: string,
  clauses: Omit<Clause<Subject>, "section">[],
): Clause<Subject>[] => clauses.map((clause) => ({ section, ...clause }));
