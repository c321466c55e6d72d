import { ApiClient, type ProjectKeys } from "./api-client.ts";
import { exchange, type Exchange } from "./exchange.ts";
import { NotTestable } from "./not-testable.ts";

/** Where the service under test is, and the keys of the projects that were set up for the run. */
export interface ServiceOptions {
  baseUrl: string;
  keys: ProjectKeys;
  secondKeys?: ProjectKeys;
  /** An origin that the first project allows. */
  allowedOrigin?: string;
  /** A secret key of the first project that is limited to the scope `mint`. */
  mintKey?: string;
  /** A token of the first project, for a survey of the set-up, that has expired and was not used. */
  expiredToken?: string;
  /** Whether clauses may purge surveys and accounts. Default false. */
  isDisposable?: boolean;
  /** Resolves when the server's clock has moved so far, in milliseconds; rejects when the signal aborts it. */
  wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Default: over HTTP. */
  exchange?: Exchange;
  /** Begins the id of each respondent, session and consumer of this run. */
  runId: string;
  /** Ends what clauses do: requests that are not under way yet reject. */
  signal?: AbortSignal;
}

const longestPauseInSeconds = 60;
const longestPatienceInSeconds = 180;

/**
 * Waits as long as a 429 says, then sends the request again. If this takes too long for one request, that one and all
 * later ones get the 429: a server that refuses for ever would keep the kit for ever.
 */
function patient(send: Exchange, wait: ServiceOptions["wait"]): Exchange {
  let isPatient = true;
  return async (request) => {
    for (let waited = 0; ;) {
      const reply = await send(request);
      const seconds = Number(reply.headers.get("retry-after"));
      if (reply.status !== 429 || !(seconds > 0 && seconds <= longestPauseInSeconds)) return reply;
      waited += seconds;
      isPatient &&= waited <= longestPatienceInSeconds;
      if (!isPatient) return reply;
      await wait(seconds * 1000);
    }
  };
}

function needed<T>(given: T | undefined, what: string): T {
  if (given) return given;
  throw new NotTestable(`needs ${what}`);
}

/** The server under test, as a clause sees it. Each respondent is new and belongs to this run. */
export class Service {
  readonly first: ApiClient;
  /** The last reply, for the detail of a clause that cannot read it. */
  lastSeen = "";
  readonly #options: ServiceOptions;
  /** Of clauses: ends with the signal. */
  readonly #send: Exchange;
  readonly #exchange: Exchange;
  readonly #people: string[] = [];
  #ids = 0;

  constructor(options: ServiceOptions) {
    const { exchange: send = exchange, signal } = options;
    this.#options = options;
    this.#send = async (request) => {
      signal?.throwIfAborted();
      const reply = await send(request);
      const path = request.target.replace(/\?.*/s, "");
      this.lastSeen = `${request.method} ${path} replied ${reply.status} ${reply.text || "without a body"}`;
      return reply;
    };
    this.#exchange = patient(this.#send, this.wait);
    this.first = this.#client(options.keys);
  }

  readonly wait = (milliseconds: number): Promise<void> =>
    this.#options.wait(milliseconds, this.#options.signal);

  readonly #client = (keys: ProjectKeys, send = this.#exchange) =>
    new ApiClient(this.#options.baseUrl, keys, send, `${this.#options.runId}-session`);

  /** The second project, which gates. */
  get second(): ApiClient {
    return this.#client(needed(this.#options.secondKeys, "the keys of a second project"));
  }

  get allowedOrigin(): string {
    return needed(this.#options.allowedOrigin, "--allowed-origin");
  }

  /** The second project, where the clause may purge what it likes. */
  get disposable(): ApiClient {
    needed(this.#options.isDisposable, "--disposable-project");
    return this.second;
  }

  /** The first project, with a secret key that may mint and nothing else. */
  get minter(): ApiClient {
    const { keys, mintKey } = this.#options;
    return this.#client({ ...keys, secretKey: needed(mintKey, "--mint-key") });
  }

  get expiredToken(): string {
    return needed(this.#options.expiredToken, "--expired-token, an unused token that has expired");
  }

  /** The first project without patience: a 429 arrives as it is. */
  get impatient(): ApiClient {
    return this.#client(this.#options.keys, this.#send);
  }

  /** A session or a consumer that no other clause knows. */
  readonly newId = (): string => `${this.#options.runId}-${this.#ids++}`;

  /** A respondent that no other clause knows. */
  readonly newPerson = (): string => this.ofThisRun(this.newId());

  /** Names a respondent of a clause's own choice, so that it is erased too. */
  readonly ofThisRun = (person: string): string => {
    this.#people.push(person);
    return person;
  };

  /** Erases everyone of this run, and with them what they left in the queues. */
  async leaveAsFound(): Promise<void> {
    const { keys, secondKeys, exchange: send = exchange, wait } = this.#options;
    const patiently = patient(send, (milliseconds) => wait(milliseconds));
    const clients = [keys, ...(secondKeys ? [secondKeys] : [])].map((one) => this.#client(one, patiently));
    const people = this.#people.splice(0);
    const erase = async () => {
      for (let respondentId = people.pop(); respondentId; respondentId = people.pop())
        for (const client of clients) await client.erase({ respondentId });
    };
    await Promise.all(Array.from({ length: 8 }, erase));
  }
}
