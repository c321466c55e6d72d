export { AfterwordError, requireText, type AfterwordErrorCode } from "./afterword-error.ts";
export type * from "./events.ts";
export { createEmitter } from "./events.ts";
