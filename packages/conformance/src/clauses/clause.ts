import { type ApiClient } from "../service/api-client.ts";
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
  "thumbs",
  "token-answers",
  "token-check",
] as const;

/** A part of the contract that a server may leave out. */
export type Extension = (typeof extensions)[number];

/** One rule of the contract that can be seen from outside, of a server or of a client. */
export interface Clause<Subject = Service> {
  /** Heading in the contract under which the rule is. */
  at: string;
  /** Section of the contract: the number of the heading, or the whole heading of an extension. */
  section: string;
  /** The rule, in the present tense. */
  title: string;
  /** What a server need not offer. */
  offers?: Extension;
  /** Rejects if the rule does not hold. Where the contract is open, returns the reading that it saw. */
  run(subject: Subject): Promise<string | void>;
}

export type Test<Subject> = Pick<Clause<Subject>, "title" | "run">;

type ServerTest = (client: ApiClient, newPerson: () => string, service: Service) => Promise<string | void>;

/** A clause of servers, as a test is written. Most are about the first project, which `client` calls. */
export const test = (title: string, run: ServerTest): Test<Service> => ({
  title,
  run: (service) => run(service.first, service.newPerson, service),
});

/** The clauses of an extension, under their heading. */
export const extension = <Subject = Service>(
  offers: Extension | undefined,
  at: string,
  tests: Test<Subject>[],
): Clause<Subject>[] => {
  const section = /^(\d+(?:\.\d+)?)\.? /.exec(at)?.[1] ?? at;
  return tests.map((one) => ({ at, section, ...one, ...(offers && { offers }) }));
};

/** The clauses under a heading that everyone has to keep. */
export const under = <Subject = Service>(at: string, tests: Test<Subject>[]): Clause<Subject>[] =>
  extension(undefined, at, tests);
