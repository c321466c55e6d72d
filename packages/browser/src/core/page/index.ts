export { watchEvents, type OwnEvents } from "./own-events.ts";
export type { Page } from "./page.ts";
export { afterVisibleDelay, fileLoader, longestTimerInMs, withTabLock, withTimeout } from "./page.ts";
export { createPost, retryAfterInMs, type Post, type Reply } from "./post.ts";
export { createStore, parseJson, wipe, type Store } from "./store.ts";
