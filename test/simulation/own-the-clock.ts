import { inProcess, type Scheduler, type Task } from "./scheduler.ts";

const RealDate = Date;
let scheduler: Scheduler;

/** Timers, clocks and random numbers of this process come from this scheduler from now on. */
export function ownTheClock(by: Scheduler): void {
  scheduler = by;
}

const random = () => inProcess.getStore()?.random() ?? 0.5;

function fillRandomly<T extends ArrayBufferView>(values: T): T {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  for (let index = 0; index < bytes.length; index++) bytes[index] = random() * 256;
  return values;
}

const randomBytes = (size: number) => fillRandomly(Buffer.alloc(size));

function randomUUID(): string {
  const hex = randomBytes(16).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** What Node's timers return. */
class Timer {
  task: Task | undefined;
  unref = () => this;
  ref = () => this;
  hasRef = () => true;
}

function setVirtualTimeout(run: (...given: unknown[]) => void, delayInMs = 0, ...given: unknown[]): Timer {
  const timer = new Timer();
  timer.task = scheduler.later(delayInMs, () => run(...given));
  return timer;
}

function setVirtualInterval(run: (...given: unknown[]) => void, everyInMs = 0, ...given: unknown[]): Timer {
  const timer = new Timer();
  const ring = () => {
    timer.task = scheduler.later(everyInMs, ring);
    run(...given);
  };
  timer.task = scheduler.later(everyInMs, ring);
  return timer;
}

function clearVirtual(timer: Timer | undefined): void {
  if (timer?.task) timer.task.run = undefined;
}

/** As of `node:timers/promises`. */
function delay<T>(delayInMs: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setVirtualTimeout(() => resolve(value as T), delayInMs);
    signal?.addEventListener("abort", () => {
      clearVirtual(timer);
      reject(signal.reason);
    });
  });
}

const nextTurn = <T>(value?: T) => delay(0, value);

class VirtualDate extends RealDate {
  constructor(...given: [] | [string | number | Date]) {
    super(given.length === 0 ? VirtualDate.now() : given[0]);
  }
  static override now(): number {
    return scheduler.wallOf(inProcess.getStore());
  }
}

/** What replaces modules of Node where the product imports them: see `load-hooks.ts`. */
export const substitutes = {
  "node:crypto": { randomBytes, randomUUID },
  "node:timers/promises": { setTimeout: delay, setImmediate: nextTurn },
};

/** Replaces the globals for good: the process is the simulation's. */
export function replaceGlobals(): void {
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: setVirtualTimeout,
    setInterval: setVirtualInterval,
    setImmediate: (run: () => void) => setVirtualTimeout(run),
    clearTimeout: clearVirtual,
    clearInterval: clearVirtual,
    clearImmediate: clearVirtual,
    fetch: () => Promise.reject(new Error("The simulation has no other network than its own.")),
    substitutes,
  });
  for (const event of ["unhandledRejection", "uncaughtException"])
    process.on(event, (error: unknown) => scheduler.errors.push(error));
  Math.random = random;
  performance.now = () => scheduler.now;
  const own = { randomUUID, getRandomValues: fillRandomly };
  for (const [name, value] of Object.entries(own)) Object.defineProperty(globalThis.crypto, name, { value });
  AbortSignal.timeout = (delayInMs: number) => {
    const controller = new AbortController();
    setVirtualTimeout(() => controller.abort(new DOMException("timed out", "TimeoutError")), delayInMs);
    return controller.signal;
  };
  // Node's own keeps every signal that was never aborted, and with it the world that it is of.
  AbortSignal.any = (signals) => {
    const controller = new AbortController();
    for (const signal of signals) {
      if (signal.aborted) controller.abort(signal.reason);
      signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
    }
    return controller.signal;
  };
}
