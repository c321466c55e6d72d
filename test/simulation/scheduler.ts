import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";

/** The real ones, before `own-the-clock.ts` replaces them. */
const realSetImmediate = globalThis.setImmediate;

/** Numbers from 0 up to 1, the same for the same names: what one part draws does not shift what another one draws. */
export function randomFor(...names: (string | number)[]): () => number {
  let state = createHash("sha256").update(names.join("/")).digest().readUInt32LE();
  // Mulberry32 (Tommy Ettinger, public domain).
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What can be killed: its timers, requests and locks end with it, and nothing of it runs afterwards. */
export class SimulatedProcess {
  readonly name: string;
  readonly random: () => number;
  /** How far its clock is ahead of the world's, in milliseconds. */
  clockOffsetInMs = 0;
  isDead = false;
  readonly #ends: (() => void)[] = [];

  constructor(name: string, random: () => number) {
    this.name = name;
    this.random = random;
  }

  /** Called when it is killed. */
  atEnd(run: () => void): void {
    if (this.isDead) run();
    else this.#ends.push(run);
  }

  kill(): void {
    if (this.isDead) return;
    this.isDead = true;
    for (const run of this.#ends) run();
  }
}

/** In which process the running code is. */
export const inProcess = new AsyncLocalStorage<SimulatedProcess>();

export interface Task {
  readonly at: number;
  readonly tie: number;
  readonly owner: SimulatedProcess | undefined;
  /** Absent once it has run or was cancelled. */
  run: (() => unknown) | undefined;
}

const isBefore = (one: Task, other: Task) =>
  one.at < other.at || (one.at === other.at && one.tie < other.tie);

/** When the world begins, in milliseconds since 1970. */
const beginning = Date.parse("2026-11-02T08:00:00.000Z");

/** One virtual time for all. Tasks of the same moment run in an order that the seed gives. */
export class Scheduler {
  /** Milliseconds since the beginning. */
  now = 0;
  steps = 0;
  readonly errors: unknown[] = [];
  readonly #heap: Task[] = [];
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  wallOf(owner: SimulatedProcess | undefined): number {
    return Math.floor(beginning + this.now + (owner?.clockOffsetInMs ?? 0));
  }

  /** Runs a task after a delay, within the process that asks for it unless another is given. */
  later(delayInMs: number, run: () => unknown, owner = inProcess.getStore()): Task {
    const at = this.now + Math.max(0, Number(delayInMs) || 0);
    const task: Task = { at, tie: this.#random(), owner, run };
    this.#push(task);
    return task;
  }

  /** Runs the next task and everything that it starts without waiting. Returns whether there was one. */
  async step(): Promise<boolean> {
    let task = this.#pop();
    while (task && (!task.run || task.owner?.isDead)) task = this.#pop();
    if (!task) return false;
    this.now = Math.max(this.now, task.at);
    this.steps += 1;
    const { owner, run } = task;
    task.run = undefined;
    try {
      if (owner) inProcess.run(owner, run!);
      else inProcess.exit(run!);
    } catch (error) {
      this.errors.push(error);
    }
    await new Promise((resolve) => realSetImmediate(resolve));
    return true;
  }

  /** Everything stands still meanwhile: for a world in which nothing runs. */
  leap(byInMs: number): void {
    this.now += byInMs;
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let index = heap.push(task) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(task, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = task;
  }

  #pop(): Task | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || !last) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (child >= heap.length || !isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}
