import type { PendingScore, ScoreResult } from "@afterword/protocol";
import type { PendingScoresOptions, PendingScoresPage } from "../queue/pending-scores.ts";
import type { CallOptions } from "../http/transport.ts";
import type { ScoreQueue } from "./forwarder-options.ts";

type ServiceState = "pending" | "delivered" | "failed";

/** A score of the queue; what a test is about is given. */
export const aPendingScore = (number: number, parts: Partial<PendingScore> = {}): PendingScore => ({
  id: `score-${number}`,
  surveyId: "survey-1",
  at: "2026-11-21T08:59:00.000Z",
  sessionId: `session-${number}`,
  observationId: null,
  rating: 4,
  text: null,
  taskType: null,
  ...parts,
});

/** The service's queue in memory, with what a test wants to know and to break. */
export class TestQueue implements ScoreQueue {
  readonly scores: PendingScore[];
  readonly states = new Map<string, ServiceState>();
  /** What was acknowledged, call by call. */
  readonly acks: (readonly ScoreResult[])[] = [];
  polls = 0;
  pageSize = 100;
  /** Called before each page; throws to break the poll. */
  beforePage: (poll: number) => void | Promise<void> = () => undefined;
  /** Called before each acknowledgement takes effect; throws to lose the request. */
  beforeAck: (results: readonly ScoreResult[]) => void | Promise<void> = () => undefined;
  /** Called after it took effect; throws to lose the reply. */
  afterAck: (results: readonly ScoreResult[]) => void | Promise<void> = () => undefined;

  /** What consumers have leased, and until when by `now`. Without leases it is another server's queue. */
  readonly leases = new Map<string, { consumer: string; until: number }>();
  offersLeases = true;
  now = () => 0;

  /** Whether a score is listed at all; malformed scores have no state. */
  isListed: ((score: PendingScore) => boolean) | undefined;

  constructor(scores: number | PendingScore[]) {
    this.scores =
      typeof scores === "number"
        ? Array.from({ length: scores }, (_, index) => aPendingScore(index + 1))
        : scores;
    for (const { id } of this.scores) this.states.set(id, "pending");
  }

  add(score: PendingScore): void {
    this.scores.push(score);
    this.states.set(score.id, "pending");
  }

  /** How many scores are in this state. */
  count(state: ServiceState): number {
    return [...this.states.values()].filter((one) => one === state).length;
  }

  pendingScores(options: PendingScoresOptions = {}) {
    const pages = () => this.#pages(options);
    return {
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const page of pages()) yield* page.scores;
      },
    };
  }

  async ack(results: readonly ScoreResult[], { signal }: CallOptions = {}) {
    await this.beforeAck(results);
    signal?.throwIfAborted();
    this.acks.push(results);
    const changed = results.filter(({ id, state }) => {
      const before = this.states.get(id);
      const changes = before === "pending" || (before === "failed" && state === "delivered");
      if (changes) this.states.set(id, state);
      return changes;
    });
    await this.afterAck(results);
    return { updated: changed.length };
  }

  /** Whether this consumer may have the score; leases it. */
  #lease(id: string, { consumer = "", leaseInSeconds = 0 }: PendingScoresOptions): boolean {
    const held = this.leases.get(id);
    if (held && held.consumer !== consumer && held.until > this.now()) return false;
    this.leases.set(id, { consumer, until: this.now() + leaseInSeconds * 1000 });
    return true;
  }

  readonly #consumers = new Set<string>();

  /** What others than this consumer hold. */
  #leasedTo(consumer = "") {
    this.#consumers.add(consumer);
    if (this.#consumers.size === 1) return { count: 0, until: null };
    const ends = [...this.leases]
      .filter(([id, held]) => this.states.get(id) === "pending" && held.consumer !== consumer)
      .flatMap(([, { until }]) => (until > this.now() ? until : []));
    return { count: ends.length, until: ends.length > 0 ? new Date(Math.max(...ends)).toISOString() : null };
  }

  async *#pages(options: PendingScoresOptions): AsyncGenerator<PendingScoresPage> {
    const { signal, cursor = "0", includeFailed = false, leaseInSeconds, consumer } = options;
    const hasLease = this.offersLeases && leaseInSeconds !== undefined;
    if (hasLease && leaseInSeconds === 0) {
      for (const [id, held] of this.leases) if (held.consumer === consumer) this.leases.delete(id);
      return;
    }
    const isWanted = (score: PendingScore) => {
      if (this.isListed) return this.isListed(score);
      const state = this.states.get(score.id);
      return state === "pending" || (includeFailed && state === "failed");
    };
    /** Where the next score of the queue stands, or where it ends. */
    const seek = (from: number) => {
      while (from < this.scores.length && !isWanted(this.scores[from]!)) from += 1;
      return from;
    };
    let next = Number(cursor);
    while (true) {
      this.polls += 1;
      await this.beforePage(this.polls);
      signal?.throwIfAborted();
      const scores: PendingScore[] = [];
      next = seek(next);
      while (scores.length < this.pageSize && next < this.scores.length) {
        const score = this.scores[next]!;
        if (!hasLease || !score?.id || this.#lease(score.id, options)) scores.push(score);
        next = seek(next + 1);
      }
      const hasMore = next < this.scores.length;
      yield {
        scores,
        ...(hasMore ? { nextCursor: String(next) } : {}),
        ...(hasLease ? { leaseInSeconds, leased: this.#leasedTo(consumer) } : {}),
      };
      if (!hasMore) return;
    }
  }
}
