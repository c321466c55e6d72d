import type { Page } from "./page.ts";

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
