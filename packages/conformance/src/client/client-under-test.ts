import { AssertionError } from "node:assert/strict";
import { type AnyJson } from "../service/any-json.ts";
import { NotTestable } from "../service/not-testable.ts";
import { ClientServer, type Answering, type SeenRequest } from "./client-server.ts";
import { runCommand } from "./run-command.ts";

/** What a client does in the protocol. */
export const roles = ["mint", "page", "forward"] as const;
export type Role = (typeof roles)[number];

/** What the command is to do, as JSON in the variable AFTERWORD_TASK. */
export interface Task {
  respondentId?: string;
  sessionId?: string;
  surveyId?: string;
  rating?: number;
  text?: string;
  /** A token that a server has minted, with its session. */
  token?: string;
  traits?: Record<string, unknown>;
  language?: string;
  /** Close the survey in place of answering it. */
  dismiss?: true;
}

/** What a client has done. */
export interface Played {
  seen: SeenRequest[];
  /** What the command printed last, as JSON. */
  said: AnyJson;
}

const timeoutInMs = 45_000;

/** Keys that no server has. */
export const keys = {
  publishableKey: `aw_pk_${"conformance".repeat(4)}`,
  secretKey: `aw_sk_${"conformance".repeat(4)}`,
};

function lastJson(output: string): unknown {
  for (const line of output.trim().split("\n").toReversed()) {
    try {
      return JSON.parse(line);
    } catch {
      continue;
    }
  }
  return undefined;
}

/** What the command of a role prints where nothing comes. */
const printed = { mint: { tokens: {} }, page: { result: "nothing" }, forward: {} };

/** A command that fails looks like a client without a token, or like one that shows or acknowledges nothing. */
function expectEnd(said: unknown, exitCode: number | null, least: object): void {
  if (exitCode === 0 && Object.keys(least).every((field) => Object(said)[field] !== undefined)) return;
  const what = `ended with exit code ${exitCode} and printed ${JSON.stringify(said) ?? "no JSON"}`;
  const wanted = `where nothing comes, it ends with 0 and prints ${JSON.stringify(least)}`;
  throw new AssertionError({ message: `the command has ${what}; ${wanted}` });
}

/** A command that plays one role against the kit's server, once for each clause. */
export class ClientUnderTest {
  readonly #command: readonly string[];
  readonly #role: Role;
  readonly #signal?: AbortSignal;
  /** The last request, for the detail of a clause that cannot read it. */
  lastSeen = "";

  /** The signal ends the command. */
  constructor(command: readonly string[], role: Role, signal?: AbortSignal) {
    this.#command = command;
    this.#role = role;
    this.#signal = signal;
  }

  /** Runs the command for one task, while the server answers as the clause wants. */
  async play(task: Task, answer: Answering): Promise<Played> {
    this.#signal?.throwIfAborted();
    const server = new ClientServer();
    server.answer = answer;
    const url = await server.listen();
    try {
      const environment = {
        AFTERWORD_ROLE: this.#role,
        AFTERWORD_BASE_URL: url,
        AFTERWORD_SINK_URL: `${url}/sink`,
        AFTERWORD_PUBLISHABLE_KEY: keys.publishableKey,
        AFTERWORD_TASK: JSON.stringify(task),
        // A page has no secret key to send.
        AFTERWORD_SECRET_KEY: this.#role === "page" ? "" : keys.secretKey,
      };
      const end = await runCommand(this.#command, environment, timeoutInMs, this.#signal);
      const { method, path, text } = server.seen.at(-1) ?? {};
      this.lastSeen = path ? `the client has sent ${method} ${path} ${text}` : "the client has sent nothing";
      if (end.isTimedOut)
        throw new AssertionError({ message: `the client has not ended after ${timeoutInMs / 1000} seconds` });
      const said = lastJson(end.output);
      // A forwarder that was refused may end with a code of its own; its requests show that it has run.
      if (this.#role !== "forward" || !path) expectEnd(said, end.exitCode, printed[this.#role]);
      return { seen: server.seen, said };
    } finally {
      server.close();
    }
  }

  /** Skips a clause that needs something the command does not print. */
  readonly needs = (value: unknown, what: string): void => {
    if (value === undefined) throw new NotTestable(`the command prints no ${what}`);
  };
}
