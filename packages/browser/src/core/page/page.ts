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
  | "AbortSignal"
  | "Blob"
  | "BroadcastChannel"
  | "CustomEvent"
  | "EventTarget"
>;
