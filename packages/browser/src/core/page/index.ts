export { afterVisibleDelay, longestTimerInMs } from "./after-visible-delay.ts";
export { fileLoader } from "./file-loader.ts";
export { watchEvents, type OwnEvents } from "./own-events.ts";
export type { Page } from "./page.ts";
export { createStore, parseJson, wipe, type Store } from "./store.ts";
export { withTabLock } from "./with-tab-lock.ts";
export { withTimeout } from "./with-timeout.ts";
