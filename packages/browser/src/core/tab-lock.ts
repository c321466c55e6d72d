import type { Page } from "./page.ts";

/**
 * Runs `work` unless this tab or another one runs work of this name now. Pages without https have no locks, nor have
 * sandboxed frames; there two tabs may send the same answer, which the service stores once.
 */
export async function exclusively(
  { navigator }: Page,
  name: string,
  work: () => Promise<unknown>,
): Promise<void> {
  let isUnable = true;
  try {
    await navigator.locks.request(`afterword:${name}`, { ifAvailable: true }, (lock) => {
      isUnable = false;
      return lock ? work() : undefined;
    });
  } catch {
    if (isUnable) await work();
  }
}
