/**
 * The window or its stand-in: fetch, clock, randomness, timers, storage and events. Everything below the entry points
 * takes it as an argument, so that tests can bring their own.
 */
export type Page = Pick<
  Window & typeof globalThis,
  | "addEventListener"
  | "removeEventListener"
  | "setTimeout"
  | "clearTimeout"
  | "fetch"
  | "localStorage"
  | "sessionStorage"
  | "document"
  | "navigator"
  | "origin"
  | "crypto"
  | "console"
  | "Date"
  | "Math"
  | "AbortController"
  | "AbortSignal"
  | "Blob"
  | "BroadcastChannel"
  | "CustomEvent"
  | "EventTarget"
>;

/** Timers that are set to more than 31 bits of milliseconds fire at once. */
export const longestTimerInMs = 2 ** 31 - 1;

/** Calls back once the page has been visible for `delayInMs`; hidden time does not count. Returns how to call it off. */
export function afterVisibleDelay(page: Page, delayInMs: number, run: () => void): () => void {
  const event = "visibilitychange";
  delayInMs = Math.min(delayInMs, longestTimerInMs);
  let since = 0;
  let timer: number | undefined;
  function stop() {
    page.document.removeEventListener(event, pauseOrGoOn);
    page.clearTimeout(timer);
  }
  function pauseOrGoOn() {
    if (timer) delayInMs -= page.Date.now() - since;
    page.clearTimeout(timer);
    timer = undefined;
    if (page.document.hidden) return;
    since = page.Date.now();
    timer = page.setTimeout(() => {
      stop();
      run();
    }, delayInMs);
  }
  page.document.addEventListener(event, pauseOrGoOn);
  pauseOrGoOn();
  return stop;
}

// Browsers cache a module import that failed or hangs for the life of the page, so a retry needs another URL.
let again = "";

/** Imports modules beside the one at `base`, by name without `.js`, with the same `?version`. Rejects after 15 seconds. */
export const fileLoader =
  (base: string) =>
  <Module>(name: string): Promise<Module> =>
    withTimeout<Module>(window, import(base.replace(/[^/?]*(\?.*)?$/, `${name}.js$1`) + again)).catch(
      (error) => {
        again += "?";
        throw error;
      },
    );

/** How long a file of the widget, or a function of the page, may take before it counts as failed. */
const longestWaitInMs = 15_000;

/** Rejects with `reason` if a file does not load in time. */
export function withTimeout<T>(page: Pick<Page, "setTimeout">, file: Promise<T>, reason?: unknown) {
  const late = new Promise<never>((_, reject) => {
    page.setTimeout(reject, longestWaitInMs, reason ?? "no answer");
  });
  return Promise.race([file, late]);
}

/**
 * Runs `work` unless this tab or another one runs work of this name now; `isPatient` waits for its end, or for the end
 * of its page, instead. Pages without https have no locks, nor have sandboxed frames; there two tabs may send the same
 * answer, which the service stores once.
 */
export async function withTabLock(
  { navigator }: Page,
  name: string,
  work: () => Promise<unknown>,
  isPatient?: boolean,
): Promise<void> {
  let isUnable = true;
  try {
    await navigator.locks.request(`afterword:${name}`, { ifAvailable: !isPatient }, (lock) => {
      isUnable = false;
      return lock ? work() : undefined;
    });
  } catch {
    if (isUnable) await work();
  }
}
