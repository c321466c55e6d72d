import type { CommonOptions } from "@clack/prompts";

/** What the program takes from the outside. */
export interface Machine {
  environment: NodeJS.ProcessEnv;
  /** The current folder. */
  folder: string;
  /** Where the templates are, one folder each. */
  templates: string;
  version: string;
  fetch: typeof fetch;
  /** Where a person can be asked, by default with the streams of this process; `undefined` if none is there. */
  terminal: CommonOptions | undefined;
  /** A line for standard output. */
  print(line: string): void;
  /** A line for standard error. */
  complain(line: string): void;
  /** Aborts when the program is asked to end. */
  interrupted: AbortSignal;
}
