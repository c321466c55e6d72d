import { ApiClient, type ProjectKeys } from "./api-client.ts";
import { exchange, type Exchange } from "./exchange.ts";
import { NotTestable } from "./not-testable.ts";

export interface ServiceOptions {
  baseUrl: string;
  keys: ProjectKeys;
  secondKeys?: ProjectKeys;
  /** An origin that the first project allows. */
  allowedOrigin?: string;
  /** Whether clauses may purge surveys and accounts. Default false. */
  isDisposable?: boolean;
  /** Resolves when the server's clock has moved so far, in milliseconds. */
  wait: (milliseconds: number) => Promise<void>;
  /** Default: over HTTP. */
  exchange?: Exchange;
  /** Begins the id of each respondent and session of this run. */
  runId: string;
}

const longestPauseInSeconds = 60;

/** Waits as long as a 429 says, then sends the request again. */
const patient =
  (send: Exchange, wait: ServiceOptions["wait"]): Exchange =>
  async (request) => {
    for (;;) {
      const reply = await send(request);
      const seconds = Number(reply.headers.get("retry-after"));
      if (reply.status !== 429 || !(seconds > 0 && seconds <= longestPauseInSeconds)) return reply;
      await wait(seconds * 1000);
    }
  };

/** The server under test, as a clause sees it. Each respondent is new and belongs to this run. */
export class Service {
  readonly first: ApiClient;
  readonly wait: ServiceOptions["wait"];
  readonly #options: ServiceOptions;
  readonly #exchange: Exchange;
  readonly #people: string[] = [];

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.wait = options.wait;
    this.#exchange = patient(options.exchange ?? exchange, options.wait);
    this.first = this.#client(options.keys);
  }

  readonly #client = (keys: ProjectKeys, send = this.#exchange) =>
    new ApiClient(this.#options.baseUrl, keys, send);

  /** The second project, which gates. */
  get second(): ApiClient {
    const { secondKeys } = this.#options;
    if (!secondKeys) throw new NotTestable("needs the keys of a second project");
    return this.#client(secondKeys);
  }

  get allowedOrigin(): string {
    const { allowedOrigin } = this.#options;
    if (!allowedOrigin) throw new NotTestable("needs --allowed-origin");
    return allowedOrigin;
  }

  /** The second project, where the clause may purge what it likes. */
  get disposable(): ApiClient {
    if (!this.#options.isDisposable) throw new NotTestable("needs --disposable-project");
    return this.second;
  }

  /** The first project without patience: a 429 arrives as it is. */
  get impatient(): ApiClient {
    return this.#client(this.#options.keys, this.#options.exchange ?? exchange);
  }

  /** A respondent that no other clause knows. */
  readonly newPerson = (): string => {
    const person = `${this.#options.runId}-${this.#people.length}`;
    this.#people.push(person);
    return person;
  };

  /** Names a respondent of a clause's own choice, so that it is erased too. */
  readonly ofThisRun = (person: string): string => {
    this.#people.push(person);
    return person;
  };

  /** Erases everyone of this run, and with them what they left in the queues. */
  async leaveAsFound(): Promise<void> {
    const clients = [this.first, ...(this.#options.secondKeys ? [this.second] : [])];
    const people = this.#people.splice(0);
    const erase = async () => {
      for (let respondentId = people.pop(); respondentId; respondentId = people.pop())
        for (const client of clients) await client.erase({ respondentId });
    };
    await Promise.all(Array.from({ length: 8 }, erase));
  }
}
