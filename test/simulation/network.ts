import { SimulatedProcess, inProcess, type Scheduler } from "./scheduler.ts";

/** A request as it was sent. */
export interface Sent {
  number: number;
  from: SimulatedProcess;
  method: string;
  url: URL;
  headers: Headers;
  text: string;
}

/** A request that a host has worked on; `status` is absent while it does, and stays so when it is killed meanwhile. */
export interface Handled extends Sent {
  startedAt: number;
  /** What the host's clock showed then. */
  wallAtStart: number;
  endedAt?: number;
  status?: number;
  replyHeaders?: Headers;
  json?: Record<string, unknown>;
}

export interface Host {
  process: SimulatedProcess;
  answer(request: Request): Promise<Response> | Response;
}

/** How probable each fault of a request is. */
export interface Weather {
  loseRequest: number;
  loseReply: number;
  repeat: number;
  cut: number;
  /** Of a delay of seconds instead of milliseconds, with which requests overtake each other. */
  delay: number;
}

export const calm: Weather = { loseRequest: 0, loseReply: 0, repeat: 0, cut: 0, delay: 0 };

type Arrival = (reply: Response | undefined, text: string, handled?: Handled) => void;

const failed = () => new TypeError("fetch failed");

/** Loses, delays, repeats, reorders and cuts what processes send to hosts. */
export class Network {
  weather: Weather = calm;
  readonly hosts = new Map<string, Host>();
  /** Called when a host has begun to work on a request, when it has answered it, when the sender has the reply, and when a request leaves. */
  onHandled: (handled: Handled) => void = () => undefined;
  onSent: (sent: Sent) => void = () => undefined;
  onStarted: (handled: Handled) => void = () => undefined;
  onArrived: (handled: Handled) => void = () => undefined;
  readonly #scheduler: Scheduler;
  #sent = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** `fetch` as a process has it. */
  fetchOf(from: SimulatedProcess): typeof fetch {
    return async (input, init = {}) => {
      const isRequest = input instanceof Request;
      const given = isRequest ? input : init;
      const url = new URL(isRequest ? input.url : String(input));
      // A world has too few scores to fill a page of 100, and so to need a second one.
      if (url.searchParams.get("limit") === "100") url.searchParams.set("limit", "3");
      const text = isRequest ? await input.text() : String(init.body ?? "");
      const headers = new Headers(given.headers);
      const { signal, method = "GET" } = given;
      const sent = { number: ++this.#sent, from, method, url, headers, text };
      this.onSent(sent);
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
        this.#carry(sent, resolve, reject, () => signal?.aborted === true);
      });
    };
  }

  #delay(random: () => number): number {
    // In steps, so that requests arrive together.
    return random() < this.weather.delay ? random() * 12_000 : 1 + 20 * Math.floor(random() * 4);
  }

  #carry(
    sent: Sent,
    resolve: (reply: Response) => void,
    reject: (error: Error) => void,
    isGivenUp: () => boolean,
  ): void {
    const { random } = sent.from;
    const { weather } = this;
    const isLost = random() < weather.loseRequest;
    const later = (delayInMs: number, run: () => void) => this.#scheduler.later(delayInMs, run, sent.from);
    // Half of them are refused; of the others nothing is ever heard, until the sender's own timeout.
    if (isLost) return void (random() < 0.5 && later(this.#delay(random), () => reject(failed())));
    const isReplyLost = random() < weather.loseReply;
    const isCut = random() < weather.cut;
    const replyIn = this.#delay(random);
    const isSilent = random() < 0.5;
    const arrives: Arrival = (reply, text, handled) => {
      if (!reply) return void later(replyIn, () => reject(failed()));
      if (isReplyLost) return void (isSilent || later(replyIn, () => reject(failed())));
      later(replyIn, () => {
        if (!isCut && !isGivenUp()) this.onArrived(handled!);
        resolve(isCut ? cutReply(reply, text) : copyOf(reply, text));
      });
    };
    this.#deliverIn(this.#delay(random), sent, arrives);
    if (random() < weather.repeat) this.#deliverIn(this.#delay(random), sent, () => undefined);
  }

  /** The sender may die meanwhile: what has left it still arrives. */
  #deliverIn(delayInMs: number, sent: Sent, done: Arrival): void {
    const deliver = () => {
      const host = this.hosts.get(sent.url.host);
      if (!host || host.process.isDead) return done(undefined, "");
      inProcess.run(host.process, () => void this.#handle(host, sent, done));
    };
    inProcess.exit(() => this.#scheduler.later(delayInMs, deliver));
  }

  async #handle(host: Host, sent: Sent, done: Arrival) {
    const { now: startedAt } = this.#scheduler;
    const handled: Handled = { ...sent, startedAt, wallAtStart: this.#scheduler.wallOf(host.process) };
    let isOver = false;
    host.process.atEnd(() => !isOver && done(undefined, ""));
    this.onStarted(handled);
    const { method, text, headers, url } = sent;
    const body = method === "GET" || method === "HEAD" ? undefined : text;
    const reply = await host.answer(new Request(url, { method, headers, body }));
    const answered = await reply.text();
    if (host.process.isDead) return;
    isOver = true;
    handled.endedAt = this.#scheduler.now;
    handled.status = reply.status;
    handled.replyHeaders = reply.headers;
    handled.json = parsed(answered);
    this.onHandled(handled);
    done(reply, answered, handled);
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

const copyOf = ({ status, headers }: Response, text: string) =>
  new Response(text || null, { status, headers });

/** The connection ends in the middle of the body. */
function cutReply(reply: Response, text: string): Response {
  const half = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2)));
      controller.error(new TypeError("terminated"));
    },
  });
  return new Response(half, { status: reply.status, headers: reply.headers });
}
