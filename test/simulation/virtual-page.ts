import type { Page } from "@afterword/browser/headless";
import type { Network } from "./network.ts";
import { inProcess, type Scheduler, type SimulatedProcess } from "./scheduler.ts";

type Listener = (event: object) => void;

class PageEvent {
  readonly type: string;
  constructor(type: string, properties: object = {}) {
    this.type = type;
    Object.assign(this, properties);
  }
}

class Events {
  readonly #listeners = new Map<string, Set<Listener>>();
  addEventListener = (type: string, listener: Listener) => {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  };
  removeEventListener = (type: string, listener: Listener) =>
    void this.#listeners.get(type)?.delete(listener);
  dispatchEvent = (event: { type: string }) => {
    for (const listener of new Set(this.#listeners.get(event.type))) listener(event);
    return true;
  };
}

interface Waiting {
  owner: SimulatedProcess;
  grant: () => void;
}

/** What a site keeps in one browser, and what its pages share: storage, locks and a channel. */
export class Device {
  readonly name: string;
  readonly local: Record<string, string> = {};
  clockOffsetInMs = 0;
  hasJumped = false;
  readonly #held = new Set<string>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly channels: { owner: SimulatedProcess; name: string; hear: (data: unknown) => void }[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** The Web Locks of one page, which it loses when it ends. */
  locksOf(owner: SimulatedProcess) {
    const request = (name: string, { ifAvailable }: LockOptions, work: (lock: object | null) => unknown) => {
      if (!this.#held.has(name)) return this.#hold(owner, name, work);
      if (ifAvailable) return Promise.resolve(work(null));
      return new Promise((resolve, reject) => {
        const grant = () => void this.#hold(owner, name, work).then(resolve, reject);
        this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), { owner, grant }]);
      });
    };
    return { request };
  }

  async #hold(owner: SimulatedProcess, name: string, work: (lock: object) => unknown): Promise<unknown> {
    this.#held.add(name);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      this.#held.delete(name);
      const queue = (this.#waiting.get(name) ?? []).filter((one) => !one.owner.isDead);
      const next = queue.shift();
      this.#waiting.set(name, queue);
      if (next) inProcess.run(next.owner, next.grant);
    };
    owner.atEnd(release);
    try {
      return await work({ name });
    } finally {
      release();
    }
  }
}

/** A window without a DOM: what the browser's core needs of one. */
export class VirtualPage {
  readonly process: SimulatedProcess;
  readonly page: Page;
  readonly #document: Events & { hidden: boolean };
  readonly #window = new Events();

  constructor(process: SimulatedProcess, device: Device, network: Network, scheduler: Scheduler) {
    this.process = process;
    process.clockOffsetInMs = device.clockOffsetInMs;
    this.#document = Object.assign(new Events(), { hidden: false, querySelector: () => null });
    class Channel extends Events {
      readonly #name: string;
      constructor(name: string) {
        super();
        this.#name = name;
        const hear = (data: unknown) =>
          void this.dispatchEvent(Object.assign(new PageEvent("message"), { data }));
        device.channels.push({ owner: process, name, hear });
      }
      postMessage(data: unknown) {
        for (const { owner, name, hear } of device.channels)
          if (owner !== process && name === this.#name) scheduler.later(1, () => hear(data), owner);
      }
      close() {}
    }
    const { addEventListener, removeEventListener } = this.#window;
    this.page = {
      addEventListener,
      removeEventListener,
      document: this.#document,
      localStorage: device.local,
      sessionStorage: {},
      navigator: { locks: device.locksOf(process) },
      crypto,
      fetch: network.fetchOf(process),
      setTimeout: (run: () => void, delayInMs?: number) => setTimeout(run, delayInMs),
      clearTimeout: (timer: never) => clearTimeout(timer),
      console: { warn() {}, debug() {}, error() {} },
      Date,
      Math,
      AbortController,
      AbortSignal,
      Blob,
      BroadcastChannel: Channel,
      CustomEvent: PageEvent,
      EventTarget: Events,
    } as unknown as Page;
  }

  /** Something that the browser or the person does. */
  fire(type: string, properties: object = {}): void {
    const target = type === "freeze" ? this.#document : this.#window;
    inProcess.run(this.process, () => target.dispatchEvent(new PageEvent(type, properties)));
  }

  turn(state: "hidden" | "visible"): void {
    this.#document.hidden = state === "hidden";
    this.fire("visibilitychange");
  }

  /** Ends with its events; without them it was killed. */
  leave(): void {
    this.fire("pagehide", { persisted: false });
    this.process.kill();
  }
}
