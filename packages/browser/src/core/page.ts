/**
 * The window that the widget lives in, or what stands in for it: its fetch, clock, chance, timers, storage and events.
 * Everything below the entry points takes it as an argument, so that tests bring their own.
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
