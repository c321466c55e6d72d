export { afterVisibleDelay, longestTimerInMs } from "./after-visible-delay.ts";
export { fileLoader, withTimeout } from "./file-loader.ts";
export { watchEvents, type OwnEvents } from "./own-events.ts";
export type { Page } from "./page.ts";
export { createStore, parseJson, wipe, type Store } from "./store.ts";
export { withTabLock } from "./with-tab-lock.ts";
