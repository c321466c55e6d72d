export { createContext, type Context, type DebugModule, type EntryPointSettings } from "./context.ts";
export { askedName, rememberAsked } from "./identity.ts";
