import { Afterword } from "@afterword/node";
import {
  createForwarder,
  fanOut,
  type DeliverableScore,
  type Forwarder,
  type Outcome,
  type Sink,
} from "@afterword/node/forwarder";
import type { Network } from "./network.ts";
import { serviceHost } from "./service.ts";
import { SimulatedProcess, inProcess, randomFor, type Scheduler } from "./scheduler.ts";

/** A score as the sink's service keeps it. */
export interface Delivered {
  id: string;
  sessionId: string | null;
  rating: number | null;
  text: string | null;
  at: number;
  by: string;
}

/** How often the sink's service does not do what it is asked. */
export interface SinkTemper {
  fail: number;
  limit: number;
  slow: number;
}

/** Of the package's own sinks. */
const sinkTimeoutInMs = 15_000;

/** An observability service: an idempotent one keeps one score per id, the other one each that it gets. */
export class SimulatedSink {
  readonly host: string;
  readonly isIdempotent: boolean;
  temper: SinkTemper = { fail: 0, limit: 0, slow: 0 };
  readonly process: SimulatedProcess;
  /** Everything that it has accepted, one after the other. */
  readonly accepted: Delivered[] = [];
  /** What it has now. */
  stored: Delivered[] = [];
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler, network: Network, seed: string, host: string, isIdempotent: boolean) {
    this.#scheduler = scheduler;
    this.isIdempotent = isIdempotent;
    this.host = host;
    this.process = new SimulatedProcess(this.host, randomFor(seed, this.host));
    network.hosts.set(this.host, { process: this.process, answer: (request) => this.#answer(request) });
  }

  async #answer(request: Request): Promise<Response> {
    const { random } = this.process;
    const { fail, limit, slow } = this.temper;
    const body = (await request.json()) as { erase?: string[]; by: string; scores: Delivered[] };
    const chance = random();
    if (chance < fail) return new Response("{}", { status: 503 });
    if (chance < fail + limit) return new Response("{}", { status: 429, headers: { "retry-after": "7" } });
    if (random() < slow)
      await new Promise<void>((resolve) => void this.#scheduler.later(random() * 20_000, resolve));
    const gone = new Set(body.erase ?? body.scores.map(({ id }) => id));
    if (body.erase || this.isIdempotent) this.stored = this.stored.filter(({ id }) => !gone.has(id));
    const scores = (body.scores ?? []).map((score) => ({ ...score, by: body.by, at: this.#scheduler.now }));
    this.stored.push(...scores);
    this.accepted.push(...scores);
    return new Response("{}");
  }

  /** The sink as a process has it. */
  sinkFor(owner: SimulatedProcess, network: Network, batchSize: number): Sink {
    const fetch = network.fetchOf(owner);
    // A sink of a customer's own may wait for an answer until the forwarder cuts its call.
    const hasTimeout = owner.random() < 0.5;
    const post = (given: object, stopped: AbortSignal) => {
      const signal = hasTimeout ? AbortSignal.any([stopped, AbortSignal.timeout(sinkTimeoutInMs)]) : stopped;
      const body = JSON.stringify({ by: owner.name, ...given });
      return fetch(`http://${this.host}/`, { method: "POST", body, signal });
    };
    return {
      name: this.host,
      batchSize,
      textByDefault: "include",
      async deliver(scores: readonly DeliverableScore[], { signal }): Promise<Outcome[]> {
        const kept = scores.map(({ id, sessionId, rating, text }) => ({ id, sessionId, rating, text }));
        const { status, headers } = await post({ scores: kept }, signal);
        const afterInMs = Number(headers.get("retry-after")) * 1000;
        if (status === 200) return scores.map(() => ({ outcome: "delivered" }));
        return scores.map(() => ({ outcome: "retry", reason: `status ${status}`, scope: "sink", afterInMs }));
      },
      async eraseScores(scores, { signal }) {
        const { status, headers } = await post({ erase: scores.map(({ id }) => id) }, signal);
        const afterInMs = Number(headers.get("retry-after")) * 1000;
        if (status === 200) return scores.map(() => ({ outcome: "erased" }));
        return scores.map(() => ({ outcome: "failed", reason: `status ${status}`, afterInMs }));
      },
    };
  }
}

/** A client of the service in a customer's process. */
export function clientIn(owner: SimulatedProcess, network: Network, secretKey: string): Afterword {
  const fetch = network.fetchOf(owner);
  return new Afterword({ baseUrl: `http://${serviceHost}`, secretKey, fetch, logger: silent });
}

const nothing = () => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A forwarder in a process of its own. */
export class SimulatedForwarder {
  readonly process: SimulatedProcess;
  /** Whether it drains the queue once, as a cron job does, instead of polling until it is stopped. */
  readonly isSingleRun: boolean;
  readonly #forwarder: Forwarder;

  constructor(
    process: SimulatedProcess,
    network: Network,
    { sinks, secretKey, isSingleRun }: { sinks: SimulatedSink[]; secretKey: string; isSingleRun: boolean },
  ) {
    this.process = process;
    this.isSingleRun = isSingleRun;
    this.#forwarder = inProcess.run(process, () => {
      const open = sinks.map((one) => one.sinkFor(process, network, process.random() < 0.5 ? 1 : 5));
      return createForwarder({
        client: clientIn(process, network, secretKey),
        sink: open.length === 1 ? open[0]! : fanOut(open),
        pollIntervalInMs: 4000,
      });
    });
  }

  /** Works until it is stopped, or until the queue is drained. */
  run(): Promise<unknown> {
    return this.do<unknown>((one) => (this.isSingleRun ? one.runOnce() : one.start()));
  }

  /** Runs within its process; nothing of it goes on once that is killed. */
  do<T>(work: (forwarder: Forwarder) => Promise<T>): Promise<T> {
    return inProcess.run(this.process, () => work(this.#forwarder));
  }
}
