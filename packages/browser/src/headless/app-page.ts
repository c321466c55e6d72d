import type { Page } from "../core/page/index.ts";

/** String storage on the device, such as React Native's AsyncStorage or any other with these four functions. */
export interface AppStorage {
  getAllKeys(): readonly string[] | Promise<readonly string[]>;
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, value: string): unknown;
  removeItem(name: string): unknown;
}

/**
 * A change of the app's state. `background`: it may end without notice, so pending data is sent. `active`: it is in
 * front again. `online`: the network is back. Anything else is ignored, so that React Native's `AppState` fits.
 */
export type AppState = "active" | "background" | "online" | (string & {});

/** What an app has in place of a browser's storage, events and randomness. */
export interface AppPageOptions {
  /** Read once, by `openAppPage`; used only with consent. Default: nothing outlives the app. */
  storage?: AppStorage;
  /** Called once with the function to call at each change. Default: the app is always in front. */
  lifeCycle?: (notify: (state: AppState) => void) => void;
  /** Default: the global one, which React Native lacks; `expo-crypto` fits. */
  crypto?: { getRandomValues(values: Uint32Array): Uint32Array };
}

type Listener = (event: AppEvent) => void;

class AppEvent {
  declare readonly type: string;
  constructor(type: string, properties: object = {}) {
    Object.assign(this, properties, { type });
  }
}

/** As in a browser, an error in one listener does not affect the others. */
class AppEventTarget {
  readonly #listeners = new Map<string, Set<Listener>>();
  addEventListener = (type: string, listener: Listener, options?: { signal?: AbortSignal }) => {
    if (!this.#listeners.has(type)) this.#listeners.set(type, new Set());
    this.#listeners.get(type)!.add(listener);
    options?.signal?.addEventListener("abort", () => this.removeEventListener(type, listener));
  };
  removeEventListener = (type: string, listener: Listener) => {
    this.#listeners.get(type)?.delete(listener);
  };
  dispatchEvent = (event: AppEvent) => {
    for (const listener of new Set(this.#listeners.get(event.type))) {
      try {
        listener(event);
      } catch (error) {
        console.error(error);
      }
    }
    return true;
  };
}

/** Reads from memory and writes to the device in sequence, so that the last write wins. */
async function openStorage(storage: AppStorage): Promise<Record<string, string>> {
  const kept: Record<string, string> = {};
  const warn = (error: unknown) => console.warn(`afterword: the app's storage failed: ${error}`);
  try {
    for (const name of await storage.getAllKeys()) {
      const value = name.startsWith("afterword:") && (await storage.getItem(name));
      if (value) kept[name] = value;
    }
  } catch (error) {
    warn(error);
  }
  let writing = Promise.resolve<unknown>(undefined);
  const write = (work: () => unknown) => {
    writing = writing.then(work).catch(warn);
    return true;
  };
  return new Proxy(kept, {
    set: (target, name: string, value: string) =>
      Reflect.set(target, name, value) && write(() => storage.setItem(name, value)),
    deleteProperty: (target, name: string) =>
      !(name in target) || (Reflect.deleteProperty(target, name) && write(() => storage.removeItem(name))),
  });
}

function timeout(delayInMs: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), delayInMs);
  return controller.signal;
}

/**
 * Creates a substitute for `window` where there is none, such as in React Native: the second argument of
 * `createHeadlessAfterword`. Rejects only if there is no source of random numbers.
 */
export async function openAppPage(options: AppPageOptions = {}): Promise<Page> {
  const { storage, lifeCycle, crypto = globalThis.crypto } = options;
  if (!crypto?.getRandomValues)
    throw new TypeError("afterword: no random numbers here; pass `crypto`, such as expo-crypto");
  const events = new AppEventTarget();
  const { addEventListener, removeEventListener, dispatchEvent } = events;
  const document = { ...events, hidden: false, querySelector: () => null };
  lifeCycle?.((state) => {
    if (state === "online") dispatchEvent(new AppEvent("online"));
    if (state !== "active" && state !== "background") return;
    document.hidden = state === "background";
    dispatchEvent(new AppEvent("visibilitychange"));
    // A returning app acts like a page from the back-forward cache.
    dispatchEvent(new AppEvent(document.hidden ? "pagehide" : "pageshow", { persisted: true }));
  });
  return {
    addEventListener,
    removeEventListener,
    document,
    localStorage: storage ? await openStorage(storage) : {},
    sessionStorage: {},
    navigator: {},
    crypto,
    // Looked up at each call, because a test or a tracer may replace them.
    fetch: (...given: Parameters<typeof fetch>) => fetch(...given),
    setTimeout: (...given: Parameters<typeof setTimeout>) => setTimeout(...given),
    clearTimeout: (timer: number) => clearTimeout(timer),
    console,
    Date,
    Math,
    AbortController,
    AbortSignal: { timeout },
    // Size 0, because an app's requests do not outlive it.
    Blob: class {
      size = 0;
    },
    CustomEvent: AppEvent,
    EventTarget: AppEventTarget,
  } as unknown as Page;
}
