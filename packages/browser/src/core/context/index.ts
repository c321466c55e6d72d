export { createContext } from "./create-context.ts";
export type { Context, DebugModule, EntryPointSettings } from "./context.ts";
