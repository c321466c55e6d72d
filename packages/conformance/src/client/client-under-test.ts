import { AssertionError } from "node:assert/strict";
import type { ServerConfig, SurveyConfig } from "@afterword/reference-server";
import { idsOf } from "../clauses/expectations.ts";
import { type AnyJson } from "../service/any-json.ts";
import { ApiClient, jsonOf } from "../service/api-client.ts";
import { exchange } from "../service/exchange.ts";
import { NotTestable } from "../service/not-testable.ts";
import { type Endpoint, type Faults, type SeenRequest } from "./faults.ts";
import { FaultyServer } from "./faulty-server.ts";
import { runCommand } from "./run-command.ts";

/** What a client does in the protocol. */
export const roles = ["mint", "page", "forward"] as const;
/** One of `roles`. */
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

/** What a command plays in. */
export interface Scene {
  task?: Task;
  /** What goes wrong, by endpoint. */
  faults?: Faults;
  /** What the server has before: linked responses of new respondents, or of these. */
  answers?: { rating: number; respondentId?: string }[];
  /** Whether the task has a token that the server has minted for it. */
  isMinted?: boolean;
}

/** What a client has done. */
export interface Played {
  seen: SeenRequest[];
  /** The requests to an endpoint. */
  to: (endpoint: Endpoint) => SeenRequest[];
  /** What the command printed last, as JSON. */
  said: AnyJson;
  /** Ids of the answers that the server had before. */
  ids: string[];
  /** What has become of their scores. */
  states: ("pending" | "delivered" | "failed")[];
  /** What the server has stored, as its export lists it. */
  responses: AnyJson[];
  /** The minted token of the task. */
  token?: string;
}

const timeoutInMs = 45_000;

/** Keys that no server of a customer has. */
export const keys = {
  publishableKey: `aw_pk_${"conformance".repeat(4)}`,
  secretKey: `aw_sk_${"conformance".repeat(4)}`,
};

const survey: SurveyConfig = {
  id: "csat",
  slug: "csat",
  type: "csat",
  question: "How well did the agent do?",
  presentation: "inline",
  trigger: "manual",
  status: "active",
};
const project = { id: "client", name: "Client", ...keys, allowedOrigins: [], surveys: [survey] };
const config: ServerConfig = { rateLimits: false, projects: [project] };

const lastJson = (output: string): unknown =>
  output
    .trim()
    .split("\n")
    .map(jsonOf)
    .findLast((json) => json !== undefined);

/** What the command of a role prints where nothing comes. */
const printed = { mint: { tokens: {} }, page: { result: "nothing" }, forward: {} };

/** A command that fails looks like a client without a token, or like one that shows or acknowledges nothing. */
function expectEnd(said: unknown, exitCode: number | null, least: object): void {
  if (exitCode === 0 && Object.keys(least).every((field) => Object(said)[field] !== undefined)) return;
  const what = `ended with exit code ${exitCode} and printed ${JSON.stringify(said) ?? "no JSON"}`;
  const wanted = `where nothing comes, it ends with 0 and prints ${JSON.stringify(least)}`;
  throw new AssertionError({ message: `the command has ${what}; ${wanted}` });
}

/** What the server has stored, and what has become of these scores. */
async function outcomeOf(api: ApiClient, ids: string[]): Promise<Pick<Played, "responses" | "states">> {
  const [pending, listed] = [await api.drain(), await api.drain({ includeFailed: "true" })].map(idsOf);
  const stateOf = (id: string) => {
    if (pending!.includes(id)) return "pending";
    return listed!.includes(id) ? "failed" : "delivered";
  };
  return { responses: (await api.export()).json.responses, states: ids.map(stateOf) };
}

/** A command that plays one role against the reference server with faults, once for each clause. */
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

  /** Runs the command for one task, while the server has these answers and these faults. */
  async play({ task = {}, faults = {}, answers = [], isMinted = false }: Scene): Promise<Played> {
    this.#signal?.throwIfAborted();
    // Only who holds a client needs a server, and with it a database.
    const { createApp } = await import("@afterword/reference-server");
    await using application = await createApp({ config });
    const server = new FaultyServer((request) => application.app.fetch(request));
    try {
      const api = new ApiClient(await server.listen(), keys, exchange, task.sessionId);
      const ids = await application.seed(project.id, answers);
      const { surveyId = "", respondentId = "" } = task;
      const token = isMinted ? { token: await api.boundToken(surveyId, { respondentId }) } : {};
      Object.assign(server, { faults, ids, seen: [] });
      const said = await this.#run({ ...task, ...token }, api.baseUrl, server);
      const { seen } = server;
      Object.assign(server, { faults: {}, seen: [] });
      const to = (endpoint: Endpoint) => seen.filter((request) => request.endpoint === endpoint);
      return { seen, to, said, ids, ...token, ...(await outcomeOf(api, ids)) };
    } finally {
      server.close();
    }
  }

  /** Returns what the command printed last. */
  async #run(task: Task, url: string, server: FaultyServer): Promise<AnyJson> {
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
    return said;
  }

  /** Skips a clause that needs something the command does not print. */
  readonly needs = (value: unknown, what: string): void => {
    if (value === undefined) throw new NotTestable(`the command prints no ${what}`);
  };
}
